using System.Text;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Near.Hybrid;

/// <summary>A write through the second level that the servers must tell of.</summary>
/// <remarks>
/// A prefix that is not the second level's, or servers that are not its own, would look like servers on which nothing
/// ever changes: values would stay, and the lease would hold. So the way is tried once before anything counts.
/// </remarks>
internal sealed class PrefixProof
{
    // It is of no use afterwards.
    private static readonly DistributedCacheEntryOptions _briefly = new()
    {
        AbsoluteExpirationRelativeToNow = TimeSpan.FromSeconds(10),
    };

    private readonly byte[] _bytes;
    private readonly TaskCompletionSource<bool> _seen = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public PrefixProof()
    {
        Key = $"__cache:proof:{Guid.NewGuid():n}";
        _bytes = Encoding.ASCII.GetBytes(Key);
    }

    public string Key { get; }

    /// <summary>A key, without the prefix, that was told of.</summary>
    public void See(ReadOnlySpan<byte> key)
    {
        if (key.SequenceEqual(_bytes))
            _seen.TrySetResult(true);
    }

    /// <summary>The link is lost: nothing is told any more.</summary>
    public void GiveUp() => _seen.TrySetResult(false);

    /// <summary>Writes, and waits until it is told of.</summary>
    /// <returns>Whether it was, in time.</returns>
    public async Task<bool> TryAsync(IDistributedCache level, TimeSpan patience, CancellationToken token)
    {
        await level.SetAsync(Key, [1], _briefly, token).WaitAsync(patience, token).ConfigureAwait(false);
        try
        {
            return await _seen.Task.WaitAsync(patience, token).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            return false;
        }
    }
}
