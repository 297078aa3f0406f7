using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Administration;

/// <summary>A section of INFO.</summary>
/// <param name="Name">Its name in the heading; asked for in any case.</param>
/// <param name="IsDefault">Whether it is shown when none is asked for.</param>
/// <param name="Append">Adds its lines.</param>
internal sealed record InfoSection(string Name, bool IsDefault, Action<InfoText, ServerState> Append);
