using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using Cache.Client;
using Cache.Core.Distributed;
using Cache.Near.Entries;
using Cache.Near.Layouts;
using Cache.Near.Links;

namespace Cache.Near;

/// <summary>A near cache: the values of servers, kept in this process while they are known to be current.</summary>
/// <remarks>
/// Thread-safe. <c>AddCacheNear</c> makes and starts one; elsewhere:
/// <example><code>
/// var options = new NearCacheOptions { Servers = RespClientOptions.Parse("localhost:6379"), AllKeys = true };
/// await using var near = new NearCache(options);
/// await near.StartAsync(CancellationToken.None);
/// byte[]? price = await near.GetAsync("price:1");
/// </code></example>
/// </remarks>
public sealed partial class NearCache : INearCache, IAsyncDisposable
{
    // With the name of the instance; longer keys are joined on the heap.
    private const int StackChars = 128;

    private readonly NearContext _context;
    private readonly NearEntries _entries;
    private readonly SlotOwners _owners;
    private readonly NearTopology _topology;
    private readonly EntryLayout _layout;
    private readonly byte[][] _prefixes;
    private readonly string _instanceName;
    private int _isDisposed;

    /// <summary>Makes one; nothing is connected before <see cref="StartAsync"/>.</summary>
    /// <param name="options">The options; not to be changed any more.</param>
    /// <exception cref="ArgumentException">The options cannot be used; the message has every mistake.</exception>
    public NearCache(NearCacheOptions options)
        : this(options, new LeaseClock(null))
    {
    }

    internal NearCache(NearCacheOptions options, LeaseClock clock)
    {
        ArgumentNullException.ThrowIfNull(options);
        var problems = options.FindProblems();
        if (problems.Count > 0)
            throw new ArgumentException(string.Join(" ", problems), nameof(options));
        _entries = new NearEntries(options.MemoryLimitBytes);
        _context = new NearContext(options, clock, TimeProvider.System, _entries);
        _owners = _context.Owners;
        _topology = new NearTopology(_context);
        _layout = EntryLayout.Of(options.Layout);
        _prefixes = options.PrefixBytes();
        _instanceName = options.InstanceName ?? "";
    }

    /// <inheritdoc/>
    public NearCacheStatus Status => NearStatus.Of(_context, _entries, _topology);

    internal NearCacheOptions Options => _context.Options;

    internal EntryLayout Layout => _layout;

    /// <summary>Begins to connect, and waits for the first attempt.</summary>
    /// <remarks>
    /// Servers that cannot be reached are no failure: reads are misses, or what <see cref="WhenUnreachable"/> says, and
    /// attempts go on.
    /// </remarks>
    /// <exception cref="RespClientException">A server refuses what is needed: the password, or client
    /// tracking.</exception>
    public async Task StartAsync(CancellationToken token)
    {
        _topology.Start();
        var failure = await _topology.FirstOutcome.WaitAsync(token).ConfigureAwait(false);
        if (NearTopology.IsRefusal(failure))
            throw failure;
    }

    /// <inheritdoc/>
    public bool TryGetLocal(string key, IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(destination);
        if (_instanceName.Length > 0)
            return TryGetLocalNamed(key, destination);
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes]);
        return TryGetLocal(utf8Key.Bytes, destination);
    }

    /// <summary>Closes the connections, and ends the local entries.</summary>
    public async ValueTask DisposeAsync()
    {
        // A container disposes of it once for each service that it is.
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
            return;
        await _topology.DisposeAsync().ConfigureAwait(false);
        _entries.Dispose();
    }

    private bool TryGetLocalNamed(string key, IBufferWriter<byte> destination)
    {
        int length = _instanceName.Length + key.Length;
        var chars = length <= StackChars ? stackalloc char[length] : new char[length];
        _instanceName.CopyTo(chars);
        key.CopyTo(chars[_instanceName.Length..]);
        using var utf8Key = new Utf8Key(chars, stackalloc byte[Utf8Key.StackBytes], out bool isUsable);
        return isUsable && TryGetLocal(utf8Key.Bytes, destination);
    }

    // The lease is looked at before the entry: what is read then is no older than what the lease proves.
    private bool TryGetLocal(ReadOnlySpan<byte> key, IBufferWriter<byte> destination) =>
        _owners.Of(key) is { IsLeased: true } && _entries.TryGet(key, destination);

    // Whether the servers tell of changes of the key.
    private bool IsInside(ReadOnlySpan<byte> key)
    {
        foreach (byte[] prefix in _prefixes)
        {
            if (key.StartsWith(prefix))
                return true;
        }

        return false;
    }

    private byte[] BytesOf(string key)
    {
        using var utf8Key = new Utf8Key(_instanceName + key, stackalloc byte[Utf8Key.StackBytes]);
        return utf8Key.Bytes.ToArray();
    }

    [DoesNotReturn]
    private static void ThrowNoLife(TimeSpan life) =>
        throw new ArgumentOutOfRangeException(nameof(life), life, "The life must be at least 1 ms.");
}
