using Cache.Core.Hashing;
using Cache.Core.ManyKeys;
using Cache.Core.Operations;
using Cache.Core.Sharding;
using Cache.Core.Tests.Changes;
using Cache.Core.Validation;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>Writers that wait for a claim with a record in their hands, while its owner needs room.</summary>
public sealed class HeldForClaimTests : IDisposable
{
    private const long Limit = 1 << 20;

    private static readonly byte[] _source = Bytes("source");

    // Longer than a segment, so that its record is made ahead of the locks.
    private static readonly byte[] _target = [.. Enumerable.Repeat((byte)1, 10_000)];

    private readonly StoreState _state = new(
        new CacheOptions { MemoryLimitBytes = Limit, ShardCount = 1, Eviction = EvictionPolicy.ExpiringEntries },
        new FakeTimeProvider(), KeyedHash.CreateRandom());

    public void Dispose() => _state.Dispose();

    // The owner asks for more than may go: it is refused once each byte is known to belong to somebody else.
    [Fact]
    public async Task Copy_ToALongKeyThatWaitsForAClaim_TellsWhatItHolds()
    {
        Fill();
        ulong hash = _state.HashOf(_target, 0);
        using var isClaimed = new SemaphoreSlim(0);
        using var isWaitedFor = new SemaphoreSlim(0);
        var owner = Task.CompletedTask;
        RoomSteps.Observe(step =>
        {
            if (step == RoomStep.RecordTaken && owner == Task.CompletedTask)
            {
                owner = Task.Factory.StartNew(Own, TaskCreationOptions.LongRunning);
                isClaimed.Wait();
            }
            else if (step == RoomStep.WaitsForClaim)
            {
                isWaitedFor.Release();
                owner.Wait();
            }
        });
        try
        {
            Assert.Equal(WriteStatus.Done, Copy());
        }
        finally
        {
            RoomSteps.Observe(null);
            isWaitedFor.Release();
            await owner;
        }

        Assert.True(_state.KeyOf(_target, 0).Hash == hash && owner != Task.CompletedTask);
        Assert.Equal(0, _state.Reclaimer.UnprovenRefusals);
        StoreValidator.Validate(_state);

        void Own()
        {
            _state.Claims.Enter(hash);
            isClaimed.Release();
            isWaitedFor.Wait();
            bool hasRoom = TakeRoom(hash);
            _state.Claims.Exit(hash);
            Assert.False(hasRoom);
        }
    }

    // It has a block in its hands, and waits for the disk alone.
    [Fact]
    public void TakeRoom_BesideAWriterThatWaitsForTheJournal_WaitsForIt()
    {
        Fill();
        ulong hash = _state.HashOf(_target, 0);
        bool givesWay = false;
        bool hasRoom = false;
        using var isSeen = new SemaphoreSlim(0);
        var owner = new Thread(() =>
        {
            RoomSteps.Observe(step =>
            {
                if (step != RoomStep.GivesWay)
                    return;
                givesWay = true;
                isSeen.Release();
            });
            _state.Claims.Enter(hash);
            TakeRoom(hash);
            _state.Claims.Exit(hash);
            isSeen.Release();
        });
        _state.Changes.Attach(new RecordingJournal
        {
            HasRoom = () => hasRoom,
            Waiting = () =>
            {
                hasRoom = true;
                owner.Start();
                isSeen.Wait();
            },
        });

        Assert.Equal(WriteStatus.Done, EntryWriter.Set(_state, _state.KeyOf(_source, 0), new byte[20_000], default));

        owner.Join();
        Assert.True(givesWay);
        Assert.Equal(0, _state.Reclaimer.UnprovenRefusals);
        StoreValidator.Validate(_state);
    }

    private void Fill()
    {
        Assert.Equal(WriteStatus.Done, EntryWriter.Set(_state, _state.KeyOf(_source, 0), "value"u8, default));
        for (int i = 0; i < 70; i++) // More than there is room for; some may go.
        {
            var filler = _state.KeyOf(BitConverter.GetBytes(i), 0);
            var options = i < 30 ? default : ExpiringAt(_state.Clock.NowMs + 1000);
            Assert.Equal(WriteStatus.Done, EntryWriter.Set(_state, filler, new byte[20_000], options));
        }
    }

    private bool TakeRoom(ulong hash)
    {
        var request = new RoomRequest(Limit / 2, 0, hash, 0, default, IsLast: false);
        return _state.Reclaimer.TryTakeRoom(request);
    }

    private WriteStatus Copy() => EntryCopier.Copy(
        _state, _state.KeyOf(_source, 0), _state.KeyOf(_target, 0), SetCondition.Always, removeSource: false);
}
