using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using Cache.Core;
using Cache.Core.Sharding;
using Cache.Reliability.Tests.Fuzz;
using Cache.Server.Clients;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>What must hold beside the replies: turns, memory, and values that are lent.</summary>
internal sealed partial class HeavySimulation
{
    private const int LentLengthMin = 128 * 1024;
    private const int LentMax = 12;

    // A turn is to take a millisecond: this is for the slowest machine, and a build with assertions.
    private static readonly TimeSpan _turnMax = TimeSpan.FromMilliseconds(100);

    // 10⁵ keys take a tenth of a second, 64 MB less; what grows with a square takes minutes.
    private static readonly TimeSpan _requestTimeMax = TimeSpan.FromSeconds(10);

    // What a record of a short entry takes beside its bytes in the request.
    private const int RecordBytes = 128;

    // Free memory that stays for the next values, the two pages of each mapping that are not whole, huge pages that
    // are not full.
    private const double ResidentRatioMax = 1.15;
    private const long ResidentSlackBytes = 16 << 20;

    // Memory on its way back to the system is there by then, on the slowest machine.
    private static readonly TimeSpan _returnTime = TimeSpan.FromSeconds(10);

    private readonly List<(LentValue Lent, HeavyValue Value)> _lent = [];

    private long HeldBytes => _server!.Server.State.Clients.ToList().Sum(
        static client => client.HeldBytes + ClientMemory.IdleClientBytes);

    private long LentBytes => _lent.Sum(static pair => (long)pair.Value.Length);

    // A step is one turn of the loop on which the bystander is too: what it asks is answered in it.
    private void AskBystander()
    {
        AskBystander("PING\r\n"u8, "+PONG\r\n", _turnMax);

        // A write of 10⁵ keys takes place at one moment: who reads one of their buckets meanwhile waits for all of it.
        var time = AskBystander("GET key:0000001\r\n"u8, "$", _requestTimeMax);
        if (time > _report.LongestRead)
            _report = _report with { LongestRead = time };
    }

    private TimeSpan AskBystander(ReadOnlySpan<byte> request, string expected, TimeSpan timeMax)
    {
        var before = ThreadTime.Read();
        _bystander!.Send(request);
        string reply = Encoding.Latin1.GetString(_bystander.ReadAll());
        var time = ThreadTime.Read() - before;
        if (!reply.StartsWith(expected, StringComparison.Ordinal))
            throw new FuzzFailureException($"The bystander got '{reply}' in the step in which it asked.");
        if (time > timeMax)
            throw new LongTurnException($"The bystander waited for {time}, with {Describe()} under way.");
        return time;
    }

    private string Describe() => string.Join(", ", _clients.Select(static client => $"{client.Request}"));

    private void NoteTurn(HeavyClient client, TimeSpan time)
    {
        client.ServerTime += time;
        if (_sharesThread && time > _turnMax)
            throw new LongTurnException($"{client.Request} took the loop's thread for {time}.");
        if (_sharesThread && time > _report.LongestTurn)
            _report = _report with { LongestTurn = time };
    }

    private void NoteRequest(HeavyClient client)
    {
        var request = client.Request!;
        if (client.ServerTime > _requestTimeMax)
            throw new LongTurnException($"{request} took {client.ServerTime} of the processor.");
        _report = _report with
        {
            Requests = _report.Requests + 1,
            Bytes = _report.Bytes + request.Length,
            Refusals = _report.Refusals + (client.Reply!.FirstLine[0] == '-' ? 1 : 0),
        };
    }

    // Beside what cannot go, the request and what it writes: with twice as much room nothing is refused.
    private bool MayRefuse(HeavyRequest request) =>
        _store.MemoryLimitBytes < 2 * (ClientMemory.Bytes + LentBytes + 2 * request.Length
            + request.Keys.Length * (long)RecordBytes);

    private void ChangeLimit()
    {
        long limit = _random.NextInt64(LimitMin, LimitMax);
        string number = limit.ToString(CultureInfo.InvariantCulture);
        var administrator = _server!.Connect();
        administrator.Send($"*4\r\n$6\r\nCONFIG\r\n$3\r\nSET\r\n$9\r\nmaxmemory\r\n${number.Length}\r\n{number}\r\n");
        string reply = "";
        WaitFor(
            () => (reply += Encoding.Latin1.GetString(administrator.ReadAll())).EndsWith('\n') || !_sharesThread,
            _clients[0]);
        administrator.Vanish();
        if (reply != "+OK\r\n")
            throw new FuzzFailureException($"maxmemory {limit} was answered by '{reply}'.");
        long used = _store.GetStatistics().MemoryBytes;
        if (used > limit + limit / 50 + LentBytes + ClientMemory.Bytes)
            throw new FuzzFailureException($"{used} bytes are held after the limit was set to {limit}.");
        _report = _report with { LimitChanges = _report.LimitChanges + 1 };
    }

    // A reader in the process: it takes a value, or gives one back, unchanged whatever became of its entry.
    private void Lend()
    {
        if (_lent.Count == LentMax || (_lent.Count > 0 && _random.Next(3) == 0))
        {
            GiveBack(_random.Next(_lent.Count));
            return;
        }

        int number = _requests.NextLentKey(LentLengthMin);
        byte[] key = HeavyRequest.KeyOf(number);
        var sink = default(ArraySink);
        if (!_store.TryGet(key, _store.BeginPrefetch(key), ref sink, LentLengthMin, out var lent) || lent is null)
            return;
        if (_model.Find(number) is not { } value || !value.Equals(lent.Span))
            throw new FuzzFailureException($"A value was lent that is not that of the key {number}.");
        _lent.Add((lent, value));
        _report = _report with { Lent = _report.Lent + 1 };
    }

    private void GiveBack(int index)
    {
        var (lent, value) = _lent[index];
        if (!value.Equals(lent.Span))
            throw new FuzzFailureException($"A lent value of {value.Length} bytes has changed.");
        lent.Dispose();
        _lent.RemoveAt(index);
    }

    private void GiveAllBack()
    {
        while (_lent.Count > 0)
            GiveBack(_lent.Count - 1);
    }

    // Between steps, so that nothing is under way but what waits for its client.
    private void CheckMemory()
    {
        if (_sharesThread) // Another thread may be about to end what it did for a client.
            WaitFor(() => ClientMemory.Bytes == HeldBytes, _clients[0]);
        else if (ClientMemory.Bytes != HeldBytes)
            throw new FuzzFailureException($"{ClientMemory.Bytes} bytes are counted, clients hold {HeldBytes}.");
        if (StateOf(_store).Reclaimer.UnprovenRefusals > 0)
            throw new FuzzFailureException("A write was refused without a proof.");
        if (!ResidentMemory.IsKnown)
            return;
        long used = Math.Max(_store.GetStatistics().MemoryBytes, _store.MemoryLimitBytes);
        long most = (long)(ResidentRatioMax * used) + ResidentSlackBytes;
        long resident = ReadResident(most);
        if (resident > most)
            throw new FuzzFailureException($"{resident} bytes are resident, {used} are used or allowed.");
        double share = (double)resident / used;
        if (share > _report.ResidentShareMax)
            _report = _report with { ResidentShareMax = share };
    }

    // Threads of the pool give memory back: what is too much now may be about to go.
    private long ReadResident(long most)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            long resident = ResidentMemory.Read() - _residentBefore;
            if (resident <= most || TimeProvider.System.GetElapsedTime(start) > _returnTime)
                return resident;
            Thread.Yield();
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);
}
