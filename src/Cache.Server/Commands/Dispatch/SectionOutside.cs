using Cache.Server.Clients;

namespace Cache.Server.Commands.Dispatch;

/// <summary>What a context had before a section.</summary>
internal readonly record struct SectionOutside(bool SharesThread, bool IsElsewhere, SuspensionEnd SuspensionEnd);
