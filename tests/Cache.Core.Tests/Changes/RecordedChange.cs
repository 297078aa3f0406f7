using Cache.Core.Changes;

namespace Cache.Core.Tests.Changes;

/// <summary>A record with the bytes of its key and value.</summary>
internal sealed record RecordedChange(ChangeRecord Record, string Key, byte[] Value);
