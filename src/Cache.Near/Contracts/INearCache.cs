using System.Buffers;
using Cache.Client;

namespace Cache.Near;

/// <summary>
/// Values on servers of the Redis protocol, kept in this process too while they are known to be current.
/// </summary>
/// <remarks>
/// Thread-safe. Keys are the UTF-8 of the string, at most 65,535 bytes; the instance's name goes before them. What is
/// promised of the age of values is in docs/scale-out.md. A write that fails may have been made; an error of the server
/// is a <see cref="RespClientException"/>, that names it and the command.
/// </remarks>
public interface INearCache
{
    /// <summary>Copies a value that is here and counts; asks no server.</summary>
    /// <returns>False if it is not here, or does not count now.</returns>
    bool TryGetLocal(string key, IBufferWriter<byte> destination);

    /// <summary>A value from here, or else from its server.</summary>
    /// <returns>Null: the server has no such key, or cannot be asked (see <see cref="WhenUnreachable"/>).</returns>
    ValueTask<byte[]?> GetAsync(string key, CancellationToken token = default);

    /// <summary>Several values, in the order of the keys; those that are not here are asked for together.</summary>
    ValueTask<byte[]?[]> GetManyAsync(IReadOnlyList<string> keys, CancellationToken token = default);

    /// <summary>Writes a value on its server. After that no read here finds an older one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <param name="life">After which time it expires, 1 ms and more; null: never.</param>
    /// <param name="token">Ends the wait; the write may be made nevertheless.</param>
    ValueTask SetAsync(
        string key, ReadOnlyMemory<byte> value, TimeSpan? life = null, CancellationToken token = default);

    /// <summary>Removes a key on its server. After that no read here finds what it was.</summary>
    ValueTask RemoveAsync(string key, CancellationToken token = default);

    /// <summary>The figures now.</summary>
    NearCacheStatus Status { get; }
}
