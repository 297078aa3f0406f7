using System.Text;
using Cache.Core;

namespace Cache.Testing;

/// <summary>Random writes by every member of the store that writes.</summary>
/// <remarks>
/// Many short values are replaced where they lie, so that pages are full and entries spill; a few keys get values of
/// all lengths by all members.
/// </remarks>
internal sealed class RandomWrites(CacheStore store, int seed)
{
    public const int Keyspaces = 2;
    private const int ManyKeys = 3_000;
    private const int FewKeys = 12;
    private const int FewNumbers = 1_000_000;
    private static readonly int[] _lengths = [0, 7, 8, 60, 900, 9_000, 20_000, 70_000, 300_000];

    private readonly Random _random = new(seed);

    public static byte[] NameOf(int number) => Encoding.Latin1.GetBytes($"key:{number}");

    public void Fill()
    {
        for (int i = 0; i < ManyKeys; i++)
            store.SelectKeyspace(i % Keyspaces).Set(NameOf(i), new byte[20]);
    }

    public void Run(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var view = store.SelectKeyspace(_random.Next(Keyspaces));
            if (_random.Next(3) != 0)
                view.Set(NameOf(_random.Next(ManyKeys)), BitConverter.GetBytes(_random.NextInt64()));
            else if (_random.Next(400) == 0)
                view.Clear();
            else if (_random.Next(1_000) == 0)
                store.ClearAll();
            else if (_random.Next(4) == 0)
                WriteMany(view);
            else if (_random.Next(4) == 0)
                WriteLong(view);
            else
                WriteOne(view);
        }
    }

    private byte[] Few() => NameOf(-1 - _random.Next(FewKeys));

    private byte[] Value() => Value(_lengths[_random.Next(_lengths.Length)]);

    private byte[] Value(int length)
    {
        byte[] value = new byte[length];
        _random.NextBytes(value);
        return value;
    }

    private EntryOptions Options() => _random.Next(6) switch
    {
        0 => new EntryOptions { ExpiresAtMs = store.NowMs + 1 + _random.Next(100_000) },
        1 => new EntryOptions { ExpiresAtUnixMs = store.NowMs + 1 + _random.Next(100_000) },
        2 => new EntryOptions { SlidingMs = 1 + _random.Next(100_000) },
        3 => new EntryOptions { KeepTtl = true },
        4 => new EntryOptions { ExpiresAtMs = 1 },
        _ => new EntryOptions { Condition = (SetCondition)_random.Next(3) },
    };

    private void WriteOne(CacheStore view)
    {
        var sink = default(ArraySink);
        byte[] key = Few();
        switch (_random.Next(12))
        {
            case 0:
                view.Set(key, Value(), Options());
                break;
            case 1:
                view.Set(key, Value(), Options(), ref sink, out _);
                break;
            case 2:
                view.TryPeekInfo(key, out var info);
                view.SetIfUnchanged(key, Value(), Options(), info.Version);
                break;
            case 3:
                view.Increment(NameOf(FewNumbers + _random.Next(3)), _random.Next(10_000), out _);
                break;
            case 4:
                long expiresAtMs = _random.Next(4) == 0 ? 1 : store.NowMs + 1_000;
                view.Expire(key, expiresAtMs, (ExpireConditions)(1 << _random.Next(4)));
                break;
            case 5:
                view.ExpireAtUnixMs(key, store.NowMs + 1_000 + _random.Next(1_000), ExpireConditions.None);
                break;
            case 6:
                view.Persist(key);
                break;
            case 7:
                view.Remove(key);
                break;
            case 8:
                view.TryRemove(key, ref sink);
                break;
            case 9:
                view.TryGetAndExpire(key, store.NowMs + 5_000, ref sink, out _);
                break;
            case 10:
                var update = new Reverse();
                view.Update(key, ref update);
                break;
            default:
                view.TryGet(key, ref sink);
                break;
        }
    }

    private void WriteLong(CacheStore view)
    {
        byte[] key = Few();
        switch (_random.Next(6))
        {
            case 0:
                view.Append(key, Value(), out _);
                break;
            case 1:
                view.SetRange(key, _random.Next(400_000), Value(), out _);
                break;
            case 2:
                view.SetRange(key, _random.Next(30), Value(10), out _);
                break;
            case 3:
                if (!view.TryCreateValue(_lengths[5 + _random.Next(4)], out var value))
                    return;
                using (value)
                {
                    _random.NextBytes(value.Span);
                    view.Set(key, value, Options());
                }

                break;
            default:
                Span<BitFieldStep> steps = [Step(), Step(), Step()];
                view.ChangeBits(key, steps);
                break;
        }
    }

    private BitFieldStep Step() => new()
    {
        Action = (BitFieldAction)_random.Next(3),
        Width = 1 + _random.Next(60),
        Offset = _random.Next(_random.Next(2) == 0 ? 500 : 4_000_000),
        Value = _random.Next(),
        Overflow = (BitFieldOverflow)_random.Next(3),
    };

    private void WriteMany(CacheStore view)
    {
        var other = store.SelectKeyspace(_random.Next(Keyspaces));
        var condition = (SetCondition)_random.Next(3);
        switch (_random.Next(6))
        {
            case 3:
                Transact();
                break;
            case 0:
                view.Rename(Few(), Few(), condition);
                break;
            case 1:
                view.Copy(Few(), other, Few(), condition);
                break;
            case 2:
                view.Move(Few(), other);
                break;
            case 4:
                SetMany(view, () => NameOf(_random.Next(ManyKeys)), 8, condition);
                break;
            default:
                SetMany(view, Few, _lengths[_random.Next(_lengths.Length)], condition);
                break;
        }
    }

    private void Transact()
    {
        byte[][] keys =
        [
            .. Enumerable.Range(-FewKeys, FewKeys).Select(NameOf),
            .. Enumerable.Range(FewNumbers, 3).Select(NameOf),
        ];
        long writtenBytes = _random.Next(100) * _random.Next(100);
        KeyedTransaction.Run(store, keys, Keyspaces, 1 + _random.Next(10), Change, writtenBytes);

        void Change(CacheStore view)
        {
            for (int i = _random.Next(8); i >= 0; i--)
            {
                var selected = view.SelectKeyspace(_random.Next(Keyspaces));
                if (_random.Next(50) == 0)
                    selected.TryClear();
                else if (_random.Next(5) == 0)
                    selected.Rename(Few(), Few(), SetCondition.Always);
                else if (_random.Next(3) == 0)
                    WriteLong(selected);
                else
                    WriteOne(selected);
            }
        }
    }

    private void SetMany(CacheStore view, Func<byte[]> key, int length, SetCondition condition)
    {
        int count = _random.Next(4) == 0 ? 100 : 1 + _random.Next(8);
        if (length > 900)
            count = 3;
        var entries = new EntryArray(
            [.. Enumerable.Range(0, count).Select(_ => (key(), Value(length)))]);
        view.SetMany(ref entries, condition);
    }

    private struct Reverse : IValueUpdate
    {
        private byte[] _value;

        public readonly int LengthMax => 1_000;

        public readonly ReadOnlySpan<byte> Value => _value;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists)
        {
            _value = exists ? present.ToArray() : [1, 2, 3];
            Array.Reverse(_value);
            return true;
        }
    }
}
