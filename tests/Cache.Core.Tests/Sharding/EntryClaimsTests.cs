using Cache.Core.Hashing;
using Cache.Core.ManyKeys;
using Cache.Core.Operations;
using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>Writers of a key that is claimed again whenever a claim is over.</summary>
public sealed class EntryClaimsTests : IDisposable
{
    // Those of an operation that never ends.
    private const int ClaimsMax = 100;

    private static readonly byte[] _key = Bytes("key");
    private static readonly byte[] _other = Bytes("other");

    private readonly StoreState _state = new(
        new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 1 }, new FakeTimeProvider(),
        KeyedHash.CreateRandom());

    public void Dispose() => _state.Dispose();

    [Theory]
    [InlineData("one key")]
    [InlineData("several keys")]
    [InlineData("copy")]
    public void Write_OfAKeyThatIsClaimedAgainAndAgain_EndsAfterItsWaits(string operation)
    {
        var expiring = new EntryOptions { ExpiresAtMs = _state.Clock.NowMs + 1000 };
        Assert.Equal(WriteStatus.Done, EntryWriter.Set(_state, _state.KeyOf(_other, 0), "value"u8, expiring));
        using var claimer = new Claimer(_state, _state.HashOf(_key, 0));
        claimer.Claim();
        int waits = 0;
        RoomSteps.Observe(step =>
        {
            if (step == RoomStep.WaitsForClaim && ++waits != 0)
                claimer.Leave();
            else if (step == RoomStep.ClaimEnded && waits < ClaimsMax)
                claimer.Claim();
        });
        WriteStatus status;
        try
        {
            status = Run(operation, expiring);
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        Assert.Equal(WriteStatus.Done, status);
        Assert.Equal(EntryClaims.WaitsMax + 1, waits);
        claimer.Claim(); // What was closed is open again.
        claimer.Leave();
    }

    private WriteStatus Run(string operation, in EntryOptions expiring)
    {
        var key = _state.KeyOf(_key, 0);
        switch (operation)
        {
            case "one key":
                return EntryWriter.Set(_state, key, "value"u8, expiring);
            case "several keys":
                var entries = new OneEntry();
                return ManyKeysWriter.Write(_state, 0, ref entries, SetCondition.IfAbsent);
            default:
                return EntryCopier.Copy(
                    _state, _state.KeyOf(_other, 0), key, SetCondition.Always, removeSource: false);
        }
    }

    private readonly struct OneEntry : IEntrySource
    {
        public int Count => 1;

        public ReadOnlySpan<byte> GetKey(int index) => _key;

        public ReadOnlySpan<byte> GetValue(int index) => "value"u8;
    }

    /// <summary>A thread that claims a key and leaves it when it is told.</summary>
    private sealed class Claimer : IDisposable
    {
        private readonly SemaphoreSlim _told = new(0);
        private readonly SemaphoreSlim _isDone = new(0);
        private readonly Thread _thread;
        private bool _isEnding;

        public Claimer(StoreState state, ulong hash)
        {
            _thread = new Thread(() =>
            {
                _told.Wait();
                while (!_isEnding) // Perhaps while the key is claimed: the test has failed.
                {
                    state.Claims.Enter(hash);
                    _isDone.Release();
                    _told.Wait();
                    state.Claims.Exit(hash);
                    _isDone.Release();
                    if (!_isEnding)
                        _told.Wait();
                }
            });
            _thread.Start();
        }

        public void Claim() => Tell();

        public void Leave() => Tell();

        public void Dispose()
        {
            _isEnding = true;
            _told.Release();
            _thread.Join();
            _told.Dispose();
            _isDone.Dispose();
        }

        private void Tell()
        {
            _told.Release();
            _isDone.Wait();
        }
    }
}
