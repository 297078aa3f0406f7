using System.Buffers.Binary;
using Cache.Core;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;
using Cache.Core.Sharding;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Large sets and sorted sets that are read, written, popped, removed, overwritten, renamed, copied, combined, expired
/// and evicted by several threads, with members that prove themselves.
/// </summary>
/// <remarks>
/// A member is its number and a filling that follows from it; its score is one of those that the number may have. Of
/// half of the keys nothing is popped, and two members are always written together, with one score. Keys are renamed
/// and copied to those of their class: number modulo 4.
/// </remarks>
internal sealed class MemberTorture(CacheStore store, int keys, int members, int seed)
{
    private const int Classes = 4;
    private const int ScoreStep = 4_096;
    private const int LengthMax = 60;

    // Beyond all members.
    private const int One = 1 << 20;
    private const int Other = One + 1;

    private readonly ThreadLocal<Random> _random = new(() => new Random(seed + Environment.CurrentManagedThreadId));
    private long _hits;
    private long _large;
    private long _compared;

    public long Hits => Volatile.Read(ref _hits);

    /// <summary>How often a whole collection was read that no record could hold.</summary>
    public long Large => Volatile.Read(ref _large);

    /// <summary>How often both trees of a sorted set were compared in one read without a lock.</summary>
    public long Compared => Volatile.Read(ref _compared);

    /// <summary>Runs some operations.</summary>
    /// <exception cref="InvalidDataException">What was read was never written.</exception>
    public void Run(int operations)
    {
        var random = _random.Value!;
        for (int i = 0; i < operations; i++)
        {
            int number = random.Next(keys);
            byte[] key = KeyOf(number);
            if (random.Next(25) == 0)
                ChangeKey(random, number, key);
            else if (number % 2 == 0)
                RunSet(random, store.SetOf(key), HasPair(number));
            else
                RunSortedSet(random, key, store.SortedSet(key), HasPair(number));
        }
    }

    private static byte[] KeyOf(int number) => BitConverter.GetBytes(number);

    private static bool HasPair(int number) => number % Classes < 2;

    private void ChangeKey(Random random, int number, byte[] key)
    {
        byte[] other = KeyOf((number + random.Next(keys) * Classes) % keys / Classes * Classes + number % Classes);
        switch (random.Next(12))
        {
            case 0:
                store.Remove(key);
                break;
            case 1:
                store.Set(key, "a string"u8);
                break;
            case < 4:
                store.Rename(key, other, SetCondition.Always);
                break;
            case < 7:
                store.Copy(key, store, other, SetCondition.Always);
                break;
            case < 9:
                store.Expire(key, store.NowMs + random.Next(keys < 100 ? 5 : 500), ExpireConditions.None);
                break;
            case < 11:
                var sources = new KeyArray(key, other);
                if (number % 2 == 0)
                    store.StoreSets(SetCombination.Union, ref sources, key, out _);
                else if (!HasPair(number)) // The two of a pair would get scores of different moments.
                    store.StoreSortedSets(
                        SetCombination.Union, ref sources, default, ScoreAggregate.Max, other, out _);
                break;
            default:
                store.TryPeekInfo(key, out _);
                break;
        }
    }

    private void RunSet(Random random, SetKey set, bool hasPair)
    {
        byte[] member = MemberOf(random.Next(members));
        switch (random.Next(100))
        {
            case < 35:
                set.Add(member);
                break;
            case < 45:
                set.Remove(member);
                break;
            case < 52:
                var some = new KeyArray([MemberOf(One), .. Some(random), MemberOf(Other)]);
                set.AddMany(ref some, out _);
                break;
            case < 56:
                var pair = new KeyArray(MemberOf(One), MemberOf(Other));
                set.RemoveMany(ref pair, out _);
                break;
            case < 60 when !hasPair:
                var popped = new Sink();
                set.Pop(random.Next(200), ref popped);
                break;
            case < 70:
                var one = default(ArraySink);
                if (set.GetRandom(ref one) == ReadStatus.Found)
                    NumberOf(one.Array);
                break;
            case < 80:
                ReadPair(set, hasPair);
                break;
            case < 84:
                var sink = new Sink();
                if (set.GetAll(ref sink) == ReadStatus.Found)
                    Note(sink, hasPair);
                break;
            default:
                Interlocked.Add(ref _hits, set.Contains(member) ? 1 : 0);
                break;
        }
    }

    private void ReadPair(SetKey set, bool hasPair)
    {
        bool[] found = new bool[2];
        var pair = new KeyArray(MemberOf(One), MemberOf(Other));
        if (set.FindMany(ref pair, found) == ReadStatus.Found && hasPair && found[0] != found[1])
            throw new InvalidDataException("One member of a pair is there without the other.");
    }

    private void RunSortedSet(Random random, byte[] key, SortedSetKey set, bool hasPair)
    {
        int number = random.Next(members);
        byte[] member = MemberOf(number);
        switch (random.Next(100))
        {
            case < 30:
                set.Add(member, ScoreOf(random, number));
                break;
            case < 38:
                set.Increment(member, ScoreOf(random, number) - BaseOf(number), ScoreConditions.IfPresent, out _);
                break;
            case < 46:
                set.Remove(member);
                break;
            case < 52:
                WritePair(random, set);
                break;
            case < 54:
                var pair = new KeyArray(MemberOf(One), MemberOf(Other));
                set.RemoveMany(ref pair, out _);
                break;
            case < 57 when !hasPair:
                var popped = new Sink();
                set.Pop(random.Next(200), random.Next(2) == 0, ref popped);
                break;
            case < 59 when !hasPair:
                set.RemoveRange(SortedSetRange.ByRank(random.Next(200), random.Next(400)), out _);
                break;
            case < 64:
                ReadPair(set, hasPair);
                break;
            case < 72:
                ReadRange(random, set);
                break;
            case < 76:
                Compare(key);
                break;
            case < 79:
                var sink = new Sink { IsOrdered = true };
                if (set.GetRange(SortedSetRange.All, ref sink) == ReadStatus.Found)
                    Note(sink, hasPair);
                break;
            case < 90:
                if (set.TryGetScore(member, out double score))
                    Check(number, score);
                break;
            default:
                Interlocked.Add(ref _hits, set.TryGetRank(member, isReversed: false, out _) ? 1 : 0);
                break;
        }
    }

    private static void WritePair(Random random, SortedSetKey set)
    {
        int score = random.Next(1 << 20);
        (byte[] Member, double Score)[] pair = [(MemberOf(One), score), (MemberOf(Other), score)];
        var source = new Scores(pair);
        set.AddMany(ref source, ScoreConditions.None, out _, out _);
    }

    private static void ReadPair(SortedSetKey set, bool hasPair)
    {
        double?[] scores = new double?[2];
        var pair = new KeyArray(MemberOf(One), MemberOf(Other));
        if (set.GetScores(ref pair, scores) == ReadStatus.Found && hasPair && scores[0] != scores[1])
            throw new InvalidDataException($"Of a pair the scores are {scores[0]} and {scores[1]}.");
    }

    private static void ReadRange(Random random, SortedSetKey set)
    {
        var sink = new Sink { IsOrdered = true };
        double min = random.Next(1 << 19);
        var range = random.Next(2) == 0
            ? SortedSetRange.ByRank(random.Next(300), -1) with { Limit = 10 }
            : SortedSetRange.ByScore(min, ScoreBound.Highest) with { Limit = 10 };
        if (set.GetRange(range, ref sink) == ReadStatus.Found && sink.Left != 0)
            throw new InvalidDataException($"{sink.Left} members of a range are missing.");
    }

    private void Compare(byte[] key)
    {
        var state = store.State;
        var entry = new EntryKey(key, 0, state.HashOf(key, keyspace: 0));
        var query = new TreesQuery();
        if (state.ShardOf(entry.Hash).QueryAny(entry, EntryKind.SortedSet, ref query) != ReadStatus.Found)
            return;
        Interlocked.Increment(ref _compared);
        if (query.Fault is { } fault)
            throw new InvalidDataException(fault);
    }

    private void Note(in Sink sink, bool hasPair)
    {
        if (sink.Left != 0)
            throw new InvalidDataException($"{sink.Left} members are missing.");
        if (hasPair && !Equals(sink.OneScore, sink.OtherScore))
            throw new InvalidDataException($"Of a pair the one is {sink.OneScore} and the other {sink.OtherScore}.");
        Interlocked.Add(ref _hits, 1);
        if (sink.Bytes > PackedTable.LengthMax)
            Interlocked.Increment(ref _large);
    }

    private IEnumerable<byte[]> Some(Random random) =>
        Enumerable.Range(0, random.Next(120)).Select(_ => MemberOf(random.Next(members)));

    private static int BaseOf(int number) => number * 31 % ScoreStep;

    private static double ScoreOf(Random random, int number) => BaseOf(number) + ScoreStep * (double)random.Next(100);

    private static void Check(int number, double score)
    {
        if (number < One && (score < 0 || score % ScoreStep != BaseOf(number)))
            throw new InvalidDataException($"Member {number} has the score {score}, which is another's.");
    }

    private static byte[] MemberOf(int number)
    {
        byte[] member = new byte[sizeof(int) + number % LengthMax];
        BinaryPrimitives.WriteInt32BigEndian(member, number);
        for (int i = sizeof(int); i < member.Length; i++)
            member[i] = (byte)(number * 13 + i);
        return member;
    }

    private static int NumberOf(ReadOnlySpan<byte> member)
    {
        int number = member.Length < sizeof(int) ? -1 : BinaryPrimitives.ReadInt32BigEndian(member);
        if (number is < 0 or > Other || !member.SequenceEqual(MemberOf(number)))
            throw new InvalidDataException($"A member of {member.Length} bytes that nobody wrote.");
        return number;
    }

    private readonly struct Scores((byte[] Member, double Score)[] members) : IScoreSource
    {
        public int Count => members.Length;

        public ReadOnlySpan<byte> GetKey(int index) => members[index].Member;

        public double GetScore(int index) => members[index].Score;
    }

    private struct Sink : IMemberSink, IScoredMemberSink
    {
        private double _before;
        private int _numberBefore;
        private bool _isAny;

        public bool IsOrdered { get; init; }

        public long Left { get; private set; }

        public long Bytes { get; private set; }

        public double? OneScore { get; private set; }

        public double? OtherScore { get; private set; }

        public readonly bool IsFull => false;

        public void Begin(long count) => Left = count;

        public void Take(scoped ReadOnlySpan<byte> member) => Take(member, double.NaN);

        public void Take(scoped ReadOnlySpan<byte> member, double score)
        {
            Left--;
            Bytes += member.Length;
            int number = NumberOf(member);
            if (!double.IsNaN(score))
                Check(number, score);
            if (IsOrdered && _isAny && (score < _before || (score == _before && number <= _numberBefore)))
                throw new InvalidDataException("Members are told out of their order.");
            (_before, _numberBefore, _isAny) = (score, number, true);
            if (number == One)
                OneScore = score;
            else if (number == Other)
                OtherScore = score;
        }
    }

    // Compares both trees in one read, without a lock.
    private struct TreesQuery : IPackedQuery, IObjectQuery
    {
        public string? Fault { get; private set; }

        public void Read(ReadOnlySpan<byte> packed) => Fault = null;

        public readonly void Copy(ReadOnlySpan<byte> packed)
        {
        }

        public void Read(in ObjectView view)
        {
            Fault = null;
            uint found = 0;
            var cursor = view.Second<ByScore>().At(0);
            for (; cursor.IsValid && found <= view.Count; cursor.MoveNext(), found++)
            {
                if (!view.TryFindName(cursor.Entry.Name, out var member))
                    Fault = "A score has no member.";
                else if (ScoreKey.Of(member.Value) != cursor.Key)
                    Fault = "A member has two scores.";
            }

            if (found != view.Count)
                Fault = $"{view.Count} members have {found} scores.";
        }

        public readonly void Copy(in ObjectView view)
        {
        }
    }
}
