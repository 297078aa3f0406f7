using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Files;
using Cache.Durability.Journaling;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>
/// A process is killed while it writes, again and again on one directory: each start finds what was acknowledged.
/// </summary>
/// <remarks>
/// Each thread of that process has keys of its own, and makes writes that are numbered: what a start finds of them must
/// be exactly the first so many, and no fewer than were acknowledged. It notes those in a file that outlives it. All
/// threads append to one key and count in another: what a start finds there must be all that each had acknowledged.
/// </remarks>
public sealed class KillTests
{
    // The directory in which a process writes that was started for it alone.
    private const string ChildVariable = "CACHE_KILL_TEST";

    // More rounds for a long run.
    private const string RoundsVariable = "CACHE_KILL_ROUNDS";
    private const int RoundsDefault = 3;

    // The journal is not shortened: each start reads all of it.
    private const int RoundsPerFolder = 10;

    private const int Writers = 3;
    private const int Keys = 10;
    private const int GroupKeys = 3;
    private const int NumberSize = sizeof(long);
    private const int LongLength = 300_000;

    // Of the writes to keys of all threads: each such number is one.
    private const int AppendStep = 3;
    private const int CountStep = 4;
    private const int LongStep = 50;

    // So that the journals of a long run stay small: writes between two pauses of a millisecond.
    private const int WritesAtOnce = 5;

    // Every key is written more often.
    private const int ModelWrites = 1_000;

    // Whether a write counts as acknowledged when it returns.
    private bool _isAcknowledgedAtOnce;

    [Fact]
    public void Killed_WhereEachWriteIsSynced_LosesNothingAcknowledged() =>
        Run(nameof(Killed_WhereEachWriteIsSynced_LosesNothingAcknowledged), SyncPolicy.Always);

    [Fact]
    public void Killed_WhereWritesAreSyncedEachSecond_LosesNothingThatWasWaitedFor() =>
        Run(nameof(Killed_WhereWritesAreSyncedEachSecond_LosesNothingThatWasWaitedFor), SyncPolicy.EverySecond);

    // What is not written yet lies in memory that outlives the process.
    [Fact]
    public void Killed_WhereNothingIsWaitedFor_LosesNothingAcknowledged()
    {
        if (!OperatingSystem.IsLinux())
            return;
        _isAcknowledgedAtOnce = true;
        Run(nameof(Killed_WhereNothingIsWaitedFor_LosesNothingAcknowledged), SyncPolicy.EverySecond);
    }

    private void Run(string method, SyncPolicy policy)
    {
        if (Environment.GetEnvironmentVariable(ChildVariable) is { } folder)
        {
            WriteUntilKilled(folder, policy);
            return;
        }

        int rounds = int.Parse(
            Environment.GetEnvironmentVariable(RoundsVariable) ?? $"{RoundsDefault}", CultureInfo.InvariantCulture);
        RandomSeed.Run(this, seed =>
        {
            var random = new Random(seed);
            for (int round = 0; round < rounds; round += RoundsPerFolder)
                RunInFolder(method, policy, Math.Min(RoundsPerFolder, rounds - round), random);
        }, method);
    }

    private void RunInFolder(string method, SyncPolicy policy, int rounds, Random random)
    {
        using var directory = new TemporaryFolder();
        for (int round = 0; round < rounds; round++)
        {
            long before = AcknowledgedIn(directory.Path);
            WriteAndKill(method, directory.Path, before + 1 + random.Next(50), random.Next(30));
            if (random.Next(2) == 0) // Else the next process is the first one that reads.
                CheckStart(directory.Path, policy);
        }

        CheckStart(directory.Path, policy);
    }

    // The parent: lets another process write until so much was acknowledged, and a moment longer.
    private static void WriteAndKill(string method, string folder, long acknowledged, int milliseconds)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!)
        {
            ArgumentList = { "-method", $"{typeof(KillTests).FullName}.{method}" },
            Environment = { [ChildVariable] = folder },
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync();
        while (AcknowledgedIn(folder) < acknowledged && !process.HasExited)
            Thread.Sleep(1);
        Thread.Sleep(milliseconds);
        bool hasEnded = process.HasExited;
        process.Kill();
        process.WaitForExit();
        Assert.False(hasEnded, output.GetAwaiter().GetResult());
    }

    private void CheckStart(string folder, SyncPolicy policy)
    {
        using var store = new CacheStore(OptionsOf());
        using var durable = Open(store, folder, policy);
        for (int writer = 0; writer < Writers; writer++)
            Check(store, folder, writer);
        if (_isAcknowledgedAtOnce)
            CheckShared(store, folder);
    }

    // The child.
    private void WriteUntilKilled(string folder, SyncPolicy policy)
    {
        using var store = new CacheStore(OptionsOf());
        using var durable = Open(store, folder, policy);
        long[] last = [.. Enumerable.Range(0, Writers).Select(writer => Check(store, folder, writer))];
        for (int i = 0; i < Writers; i++)
        {
            int writer = i;
            Start(() =>
            {
                while (true)
                    WriteNext(store, durable, folder, writer, last, policy);
            });
        }

        if (policy != SyncPolicy.Always && !_isAcknowledgedAtOnce)
            Start(() => AcknowledgeFor(durable, folder, last));
        while (Console.In.Read() >= 0) // Its end is the parent's.
        {
        }
    }

    private void WriteNext(
        CacheStore store, DurableStore durable, string folder, int writer, long[] last, SyncPolicy policy)
    {
        long number = last[writer] + 1;
        if (_isAcknowledgedAtOnce)
            WriteShared(store, writer, number);
        Write(store, writer, number);
        if (_isAcknowledgedAtOnce)
            Acknowledge(folder, writer, number);
        if (policy == SyncPolicy.Always)
        {
            durable.WaitAsync().AsTask().GetAwaiter().GetResult();
            Acknowledge(folder, writer, number);
        }
        else if (number % WritesAtOnce == 0)
        {
            Thread.Sleep(1);
        }

        Volatile.Write(ref last[writer], number);
    }

    private static void AcknowledgeFor(DurableStore durable, string folder, long[] last)
    {
        while (true)
        {
            long[] made = [.. Enumerable.Range(0, Writers).Select(writer => Volatile.Read(ref last[writer]))];
            durable.WaitAsync().AsTask().GetAwaiter().GetResult();
            for (int writer = 0; writer < Writers; writer++)
                Acknowledge(folder, writer, made[writer]);
        }
    }

    private static void Start(Action action) => new Thread(() => action()) { IsBackground = true }.Start();

    private static CacheOptions OptionsOf() => new() { MemoryLimitBytes = 64 << 20, ShardCount = 2 };

    private DurableStore Open(CacheStore store, string folder, SyncPolicy policy)
    {
        var options = new JournalOptions
        {
            Sync = policy,
            FileBytes = 4 << 20,
            Chunks = 8,
            RingFolder = _isAcknowledgedAtOnce ? "/dev/shm" : null,
        };
        string path = Path.Combine(folder, "store");
        Directory.CreateDirectory(path);
        return DurableStore.Open(store, new SystemDirectory(path), options, new StoreStart());
    }

    private void Write(CacheStore store, int writer, long number)
    {
        if (IsRemoval(number))
        {
            store.Remove(KeyOf(writer, number));
        }
        else if (IsGroup(number))
        {
            var entries = new EntryArray(
                [.. Enumerable.Range(0, GroupKeys).Select(i => (GroupKeyOf(writer, i), ValueOf(number)))]);
            Assert.Equal(WriteStatus.Done, store.SetMany(ref entries, SetCondition.Always));
        }
        else
        {
            Assert.Equal(WriteStatus.Done, store.Set(KeyOf(writer, number), ValueOf(number)));
        }
    }

    // The same of a model that knows the number that each key has.
    private static void Write(Dictionary<string, long> model, int writer, long number)
    {
        if (IsRemoval(number))
        {
            model.Remove(Encoding.ASCII.GetString(KeyOf(writer, number)));
        }
        else if (IsGroup(number))
        {
            for (int i = 0; i < GroupKeys; i++)
                model[Encoding.ASCII.GetString(GroupKeyOf(writer, i))] = number;
        }
        else
        {
            model[Encoding.ASCII.GetString(KeyOf(writer, number))] = number;
        }
    }

    // Records that rest on those of other threads, and values that end with the process.
    private static void WriteShared(CacheStore store, int writer, long number)
    {
        if (number % AppendStep == 0)
        {
            byte[] part = new byte[NumberSize];
            BinaryPrimitives.WriteInt64LittleEndian(part, number * Writers + writer);
            Assert.Equal(WriteStatus.Done, store.Append("log"u8, part, out _));
        }

        if (number % CountStep == 0)
            Assert.Equal(WriteStatus.Done, store.Increment("count"u8, 1, out _));
        if (number % LongStep == 0)
        {
            byte[] value = new byte[LongLength];
            Array.Fill(value, (byte)number);
            Assert.Equal(WriteStatus.Done, store.Set(LongKeyOf(writer), value));
        }
    }

    // The last numbers of a thread may be there twice: another process began behind the last one that it found.
    private static void CheckShared(CacheStore store, string folder)
    {
        byte[] log = store.GetArray("log"u8) ?? [];
        Assert.Equal(0, log.Length % NumberSize);
        var found = new HashSet<long>();
        for (int i = 0; i < log.Length; i += NumberSize)
            found.Add(BinaryPrimitives.ReadInt64LittleEndian(log.AsSpan(i)));
        long counted = 0;
        for (int writer = 0; writer < Writers; writer++)
        {
            long acknowledged = AcknowledgedIn(folder, writer);
            counted += acknowledged / CountStep;
            for (long number = AppendStep; number <= acknowledged; number += AppendStep)
                Assert.True(found.Contains(number * Writers + writer), $"{writer}: {number} was appended.");
            if (store.GetArray(LongKeyOf(writer)) is { } value)
                Assert.Equal((LongLength, -1), (value.Length, value.AsSpan().IndexOfAnyExcept(value[0])));
        }

        string text = Encoding.ASCII.GetString(store.GetArray("count"u8) ?? "0"u8.ToArray());
        Assert.InRange(long.Parse(text, CultureInfo.InvariantCulture), counted, long.MaxValue);
    }

    // How many writes of this thread the store has.
    private long Check(CacheStore store, string folder, int writer)
    {
        var found = new Dictionary<string, long>();
        for (int i = 0; i < Keys + GroupKeys; i++)
        {
            byte[] key = i < Keys ? KeyOf(writer, i) : GroupKeyOf(writer, i - Keys);
            if (store.GetArray(key) is not { } value)
                continue;
            long number = BinaryPrimitives.ReadInt64LittleEndian(value);
            Assert.True(value.AsSpan().SequenceEqual(ValueOf(number)), $"{writer}: {number} has another value.");
            found[Encoding.ASCII.GetString(key)] = number;
        }

        long last = found.Values.Append(0).Max();
        if (!IsAfter(found, writer, last)) // A removal leaves no number.
            last++;
        string text =
            string.Join(" ", found.OrderBy(static pair => pair.Key, StringComparer.Ordinal));
        Assert.True(IsAfter(found, writer, last), $"{writer}: no first so many writes leave {text}.");
        long acknowledged = AcknowledgedIn(folder, writer);
        Assert.True(last >= acknowledged, $"{writer}: {acknowledged} was acknowledged, {last} was found.");
        return last;
    }

    private static bool IsAfter(Dictionary<string, long> found, int writer, long last)
    {
        var model = new Dictionary<string, long>();
        for (long number = Math.Max(1, last - ModelWrites); number <= last; number++)
            Write(model, writer, number);
        return model.Count == found.Count && model.All(pair => found.GetValueOrDefault(pair.Key) == pair.Value);
    }

    private static bool IsRemoval(long number) => number % 11 == 0;

    private static bool IsGroup(long number) => number % 7 == 0;

    private static byte[] KeyOf(int writer, long number) => Encoding.ASCII.GetBytes($"{writer}:{number % Keys}");

    private static byte[] LongKeyOf(int writer) => Encoding.ASCII.GetBytes($"{writer}:long");

    private static byte[] GroupKeyOf(int writer, int number) => Encoding.ASCII.GetBytes($"{writer}:group:{number}");

    // Now and then one that is lent, and written in parts: these wait to be written in the memory of the process.
    private byte[] ValueOf(long number)
    {
        bool isLong = number % LongStep == 1 && !_isAcknowledgedAtOnce;
        byte[] value = new byte[NumberSize + (isLong ? LongLength : number % 200)];
        Array.Fill(value, (byte)number);
        BinaryPrimitives.WriteInt64LittleEndian(value, number);
        return value;
    }

    private static void Acknowledge(string folder, int writer, long number)
    {
        using var file = File.OpenHandle(
            NoteOf(folder, writer), FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite);
        byte[] bytes = new byte[NumberSize];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, number);
        RandomAccess.Write(file, bytes, 0);
    }

    private static long AcknowledgedIn(string folder) =>
        Enumerable.Range(0, Writers).Sum(writer => AcknowledgedIn(folder, writer));

    private static long AcknowledgedIn(string folder, int writer)
    {
        if (!File.Exists(NoteOf(folder, writer)))
            return 0;
        using var file = File.OpenHandle(NoteOf(folder, writer), share: FileShare.ReadWrite);
        byte[] bytes = new byte[NumberSize];
        return RandomAccess.Read(file, bytes, 0) == 0 ? 0 : BinaryPrimitives.ReadInt64LittleEndian(bytes);
    }

    private static string NoteOf(string folder, int writer) => Path.Combine(folder, $"acknowledged-{writer}");
}
