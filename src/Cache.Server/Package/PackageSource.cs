using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Package;

/// <summary>What the parts of a package are made of.</summary>
/// <param name="Server">The server.</param>
/// <param name="Names">The package's names for what clients have chosen.</param>
internal sealed record PackageSource(ServerState Server, PackageNames Names);
