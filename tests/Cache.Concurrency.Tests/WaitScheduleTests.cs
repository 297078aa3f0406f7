using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Core.Hashing;
using Cache.Server.Clients;
using Cache.Server.Notifications;
using Cache.Server.Protocol;
using Cache.Server.PubSub;
using Cache.Server.Security;
using Cache.Server.Settings;
using Cache.Server.Waits;
using Cache.Testing;

namespace Cache.Concurrency.Tests;

/// <summary>
/// Threads that are paused at every step of waiting, pushing and serving: afterwards no client waits for an element
/// that is there, and each element has gone to one client or is in its list.
/// </summary>
/// <remarks>Only a debug build has the steps; a release build runs the same bodies one after the other.</remarks>
public sealed class WaitScheduleTests
{
    private const int Schedules = 300;

    // A thread of the pool serves soon; on a loaded machine, later.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    [Fact]
    public void Push_UnderRandomSchedules_LosesNoWakeUp() => RandomSeed.Run(this, seed =>
    {
        for (int i = 0; i < Schedules; i++)
        {
            var random = new Random(seed + i);
            int denominator = 1 << random.Next(5);
            Run(i, random, new StepScheduler(s => random.Next(denominator) == 0
                ? s.Live[random.Next(s.Live.Count)]
                : s.Current));
        }
    });

    // Every schedule in which one of them is interrupted once.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Push_UnderAllSchedulesWithOneSwitch_LosesNoWakeUp(bool isInProcess)
    {
        int steps = 1;
        for (int at = 0; at < steps; at++)
        {
            using var world = new World(0);
            var waiter = world.Waiter(WaitOutcome.Served, "a");
            var scheduler = new StepScheduler(s => s.Steps == at + 1 ? s.Live[^1] : s.Current);
            scheduler.Run(() => world.Wait(waiter), () => world.Push("a", 1, isInProcess));
            world.Check(_patience);
            steps = Math.Max(steps, scheduler.Steps);
        }
    }

    private static void Run(int number, Random random, StepScheduler scheduler)
    {
        using var world = new World(number);
        var first = world.Waiter(Outcome(random), "a");
        var second = world.Waiter(Outcome(random), "a", "b");
        var third = world.Waiter(Outcome(random), "b", "a", "b");
        bool[] inProcess = [random.Next(2) == 0, random.Next(2) == 0];
        scheduler.Run(
            () => world.Wait(first),
            () => world.Push("a", 1 + random.Next(2), inProcess[0]),
            () => world.Wait(second),
            () => world.Push("b", 1 + random.Next(2), inProcess[1]),
            () => world.Wait(third),
            () => world.Unblock(second),
            () => world.Swap());
        world.Check(_patience);
    }

    private static WaitOutcome Outcome(Random random) =>
        random.Next(3) == 0 ? WaitOutcome.Itself : WaitOutcome.Served;

    /// <summary>A store of two keyspaces, a table, and the clients that wait in database 0.</summary>
    private sealed class World : IWaitedDatabases, IDisposable
    {
        private readonly CacheStore _store;
        private readonly CacheStore[] _keyspaces;
        private readonly AclUsers _users = new();
        private readonly List<Probe> _probes = [];
        private int _pushed;

        public World(int number)
        {
            var hash = KeyedHash.Create(new byte[AesHash.SecretLength]);
            var options = new CacheOptions { MemoryLimitBytes = 4 << 20, ShardCount = 1 };
            _store = new CacheStore(options, new FakeTimeProvider(), hash);
            _keyspaces = [_store, _store.SelectKeyspace(1)];
            var settings = new ServerSettings();
            var memory = new ClientRegistry(settings, _users, _store, static (_, _, _) => { }).Memory;
            Table = new WaitTable(
                _store, this, new KeyspaceNotifier(_store, new ChannelTable(memory), static keyspace => keyspace));
            Number = number;
        }

        public bool IsBusy => false;

        public HeldKeys? Held => null;

        public WaitTable Table { get; }

        public int Number { get; }

        public int Count => 2;

        public CacheStore this[int database] => _keyspaces[database];

        public int FindDatabase(int keyspace) => _keyspaces[0].Keyspace == keyspace ? 0 : 1;

        public bool TryNotePutOff() => false;

        public void Visit(Action<object> action, object state) => action(state);

        public Probe Waiter(WaitOutcome outcome, params string[] keys)
        {
            var endPoints = new ClientEndPoints("127.0.0.1:1", "127.0.0.1:2");
            var client = new ClientSession(
                _probes.Count + 1, endPoints, _users.Default, 0, this, static _ => { });
            var probe = new Probe(client, Array.ConvertAll(keys, Encoding.ASCII.GetBytes), outcome);
            _probes.Add(probe);
            return probe;
        }

        // As a blocking command does.
        public void Wait(Probe probe)
        {
            foreach (byte[] key in probe.Keys)
            {
                if (!Table.HasWaiters(0, key, EntryKind.List) && probe.TryTake(_keyspaces[0], key))
                    return;
            }

            bool isHeld = Table.AreThere && WaitTable.TryHold();
            Block(probe);
            if (isHeld)
                Table.Unhold();
        }

        // As a command of another client, or a call in process.
        public void Push(string key, int count, bool isInProcess)
        {
            bool isHeld = !isInProcess && Table.AreThere && WaitTable.TryHold();
            for (int i = 0; i < count; i++)
            {
                byte[] element = Encoding.ASCII.GetBytes(
                    Interlocked.Increment(ref _pushed).ToString(CultureInfo.InvariantCulture));
                _store.List(Encoding.ASCII.GetBytes(key)).Push(ListEnd.Right, element);
            }

            if (isHeld)
                Table.Unhold();
        }

        public void Unblock(Probe probe)
        {
            if (probe.Client.TryUnblock(SuspensionEnd.Unblocked))
                WaitSteps.Pass();
        }

        // There and back: a push in process meets any of the three states.
        public void Swap()
        {
            (_keyspaces[0], _keyspaces[1]) = (_keyspaces[1], _keyspaces[0]);
            WaitSteps.Pass();
            (_keyspaces[0], _keyspaces[1]) = (_keyspaces[1], _keyspaces[0]);
            Table.NoteSwap(0, 1);
            Table.Serve();
        }

        public void Check(TimeSpan patience)
        {
            Settle(patience);

            // Those that were woken to make the attempt themselves do so now, or end; and others are served again.
            for (bool isChanged = true; isChanged;)
            {
                isChanged = false;
                foreach (var probe in _probes.Where(static one => one is { IsWoken: true, IsOver: false }))
                {
                    isChanged = true;
                    Go(probe);
                }

                Settle(patience);
            }

            CheckElements();
            foreach (var probe in _probes.Where(static one => one.IsParked))
            {
                Assert.False(
                    Array.Exists(probe.Keys, key => _store.TryPeekInfo(key, out _)),
                    $"Schedule {Number}: a client waits for an element that is there. {Describe()}");
            }
        }

        public void Dispose()
        {
            foreach (var probe in _probes)
                Table.Abandon(probe);
            Assert.Equal(0, Table.Count);
            Table.Dispose();
            _store.Dispose();
        }

        // What became of each client, and the keys that have elements.
        private string Describe() => string.Join("; ", _probes) + "; there: "
            + string.Join(' ', _probes.SelectMany(static one => one.Keys).Select(Encoding.ASCII.GetString).Distinct()
                .Where(key => _store.TryPeekInfo(Encoding.ASCII.GetBytes(key), out _)));

        private void Block(Probe probe)
        {
            probe.Suspension = probe.Client.Suspension.Begin(SuspensionReason.Keys, Timeout.InfiniteTimeSpan);
            Table.Add(probe);
            Table.Serve();
        }

        // As a blocking command ends: it may have taken of another key than the one that has woken it.
        private void Go(Probe probe)
        {
            bool wantsMore = probe.Client.Id % 2 == 0;
            _ = wantsMore && Array.Exists(probe.Keys, key => probe.TryTake(_store, key));
            probe.IsOver = true;
            Table.Abandon(probe);
        }

        private void Settle(TimeSpan patience) =>
            Assert.True(
                SpinWait.SpinUntil(() => Table.IsIdle, patience),
                $"Schedule {Number}: a key has changed, and nobody serves its waiters.");

        private void CheckElements()
        {
            var elements = _probes.SelectMany(static one => one.Taken).ToList();
            var left = new List<(string Key, byte[] Element)>();
            foreach (string key in new[] { "a", "b" })
            {
                while (_store.List(Encoding.ASCII.GetBytes(key)).PopArray(ListEnd.Left) is { } element)
                {
                    elements.Add(Encoding.ASCII.GetString(element));
                    left.Add((key, element));
                }
            }

            foreach (var (key, element) in left)
                _store.List(Encoding.ASCII.GetBytes(key)).Push(ListEnd.Right, element);
            elements.Sort(StringComparer.Ordinal);
            Assert.Equal(
                Enumerable.Range(1, _pushed).Select(static i => i.ToString(CultureInfo.InvariantCulture))
                    .Order(StringComparer.Ordinal),
                elements);
        }
    }

    private sealed class Probe(ClientSession client, byte[][] keys, WaitOutcome outcome)
        : Waiter(client, 0, EntryKind.List, keys)
    {
        private readonly List<string> _taken = [];

        public IReadOnlyList<string> Taken => _taken;

        public bool IsOver { get; set; }

        public bool IsParked => Client.Suspension.TryClaim(Suspension);

        public override string ToString() =>
            $"{Client.Id} {string.Join(' ', Keys.Select(Encoding.ASCII.GetString))} by {outcome}, "
            + $"took [{string.Join(' ', _taken)}], woken {IsWoken}, over {IsOver}";

        public bool TryTake(CacheStore store, byte[] key)
        {
            if (store.List(key).PopArray(ListEnd.Left) is not { } element)
                return false;
            _taken.Add(Encoding.ASCII.GetString(element));
            IsOver = true;
            return true;
        }

        protected internal override WaitOutcome TryServe(CacheStore store, byte[] key, RespReplyWriter reply)
        {
            if (!store.TryPeekInfo(key, out _))
                return WaitOutcome.Empty;
            if (outcome == WaitOutcome.Itself)
                return WaitOutcome.Itself;
            if (!TryTake(store, key))
                return WaitOutcome.Empty;
            reply.Bulk(key);
            return WaitOutcome.Served;
        }
    }
}
