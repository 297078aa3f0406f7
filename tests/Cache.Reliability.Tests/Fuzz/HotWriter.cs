using System.Text;
using Cache.Core;
using Cache.Core.Hashing;
using Cache.Server.Clients;
using Cache.Server.Commands.Table;
using Cache.Testing;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>
/// Writes keys of one bucket whenever the server asks for room for a reply, and whenever a read in the process asks for
/// room for a value: then all its attempts to read without a lock are in vain.
/// </summary>
internal sealed class HotWriter(CacheStore store)
{
    private const int KeyCount = 24;
    private const int ValueLengthMax = 20_000;
    private const int KeysPerRead = 3;

    // Of three keys, each with all attempts that there are, several times as many.
    private const int SpansMax = 300;

    private readonly Random _random = new(1);
    private readonly byte[] _value = new byte[ValueLengthMax];
    private bool _isEndless;

    /// <summary>Keys of one bucket, in the stores that are created here.</summary>
    public static string[] Keys { get; } = FindKeys();

    /// <summary>A store whose hash is always the same.</summary>
    public static CacheStore CreateStore(CacheOptions options, TimeProvider clock) =>
        new(options, clock, KeyedHash.Create(new byte[AesHash.SecretLength]));

    /// <summary>The server's clients, once it runs.</summary>
    public ClientRegistry? Clients { get; set; }

    /// <summary>To be told what the server asks of its transport.</summary>
    public void Pass(string point)
    {
        if (point == "before a reply has room" && !IsInTransaction())
            Write();
    }

    /// <summary>Reads in the process by one of the ways that hand values out.</summary>
    public void Read()
    {
        var sink = new HotSink(this);
        byte[] key = NextKey();
        switch (_random.Next(6))
        {
            case 0:
                store.TryGet(key, ref sink);
                break;
            case 1:
                store.TryGetRange(key, 0, ValueLengthMax / 2, ref sink);
                break;
            case 2:
                store.TryGetAndExpire(key, store.NowMs + 1_000, ref sink);
                break;
            case 3:
                store.Set(key, NextValue(), default, ref sink, out _);
                break;
            case 4:
                store.TryRemove(key, ref sink);
                break;
            default:
                var keys = new KeyArray([.. Enumerable.Range(0, KeysPerRead).Select(_ => NextKey())]);
                store.GetMany(ref keys, ref sink);
                break;
        }
    }

    /// <exception cref="FuzzFailureException">A read asked for room for ever.</exception>
    public void Check()
    {
        if (_isEndless)
            throw new FuzzFailureException($"A read asked for room more than {SpansMax} times.");
    }

    // This is the thread that holds the keys of an EXEC: it would wait for itself.
    private bool IsInTransaction() => Clients is not null && Clients.ToList().Exists(
        static client => client.IsQueueing && client.LastCommand is { Role: TransactionRole.Exec });

    private void Write()
    {
        byte[] key = NextKey();
        switch (_random.Next(6))
        {
            case 0:
                store.Remove(key);
                break;
            case 1:
                store.Increment(key, 1, out _);
                break;
            case 2:
                store.Append(key, NextValue(), out _);
                break;
            default:
                store.Set(key, NextValue());
                break;
        }
    }

    // A write that certainly changes the bucket. One that is asked for again and again is left out, so that the read
    // ends.
    private void WriteFor(int spans)
    {
        if (spans > SpansMax)
            _isEndless = true;
        else
            store.Set(NextKey(), NextValue());
    }

    private byte[] NextKey() => Encoding.Latin1.GetBytes(Keys[_random.Next(Keys.Length)]);

    private ReadOnlySpan<byte> NextValue() =>
        _value.AsSpan(0, _random.Next(4) == 0 ? _random.Next(ValueLengthMax) : _random.Next(40));

    private static string[] FindKeys()
    {
        using var store = CreateStore(new CacheOptions { MemoryLimitBytes = 4 << 20 }, TimeProvider.System);
        return HotKeys.Find(store, "hot:", KeyCount);
    }

    /// <summary>Room for values that nobody looks at.</summary>
    private struct HotSink(HotWriter writer) : IValueBatchSink
    {
        private int _spans;

        public readonly bool IsFull => false;

        public Span<byte> GetSpan(int length)
        {
            writer.WriteFor(++_spans);
            return new byte[length];
        }

        public readonly void Advance(int length)
        {
        }

        public readonly void Miss()
        {
        }

        public readonly void Restart()
        {
        }
    }
}
