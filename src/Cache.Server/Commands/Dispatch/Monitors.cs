using System.Buffers;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using Cache.Server.Clients;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The clients of MONITOR, and what they are shown. Thread-safe.</summary>
/// <remarks>
/// While there is none, a call looks at one flag. A line is pushed into the client's outbox, up to a bound: a client
/// that reads too slowly loses lines, and is told how many.
/// </remarks>
/// <param name="clients">The clients that are connected.</param>
/// <param name="settings">The server's settings.</param>
/// <param name="clock">The server's clock.</param>
internal sealed class Monitors(ClientRegistry clients, ServerSettings settings, TimeProvider clock)
{
    /// <summary>The most bytes of lines that wait for a client; the next ones are dropped.</summary>
    public const int WaitingBytesMax = 1 << 20;

    // A longer request is not shown: it would be most of what may wait.
    private const int RequestBytesMax = WaitingBytesMax / 4;

    private const long MicrosecondsPerSecond = 1_000_000;

    private static readonly SearchValues<byte> _plain = SearchValues.Create(
        " !#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"u8);

    private static ReadOnlySpan<byte> HexDigits => "0123456789abcdef"u8;

    private readonly Lock _lock = new();
    private volatile Monitor[] _all = [];

    /// <summary>Whether there is any.</summary>
    public bool AreThere => _all.Length > 0;

    /// <summary>Shows a client calls from now on.</summary>
    public void Add(ClientSession client, Outbox outbox, MonitorFilter filter)
    {
        lock (_lock)
        {
            client.IsMonitor = true;
            _all = [.. _all, new Monitor(client, outbox, filter)];
        }
    }

    /// <summary>Shows a client nothing from now on: no line of another thread comes behind this call.</summary>
    public void Remove(ClientSession client)
    {
        foreach (var one in _all)
        {
            if (one.Client != client)
                continue;
            one.End(isTold: false);
            Remove(one);
        }
    }

    /// <summary>Forgets clients that have gone, and ends those whose time is over. Called by the sweep.</summary>
    public void Sweep()
    {
        long now = clock.GetTimestamp();
        foreach (var one in _all)
        {
            bool isGone = clients.Find(one.Client.Id) is null;
            if (!isGone && now < one.Filter.EndsAt)
                continue;
            one.End(isTold: !isGone);
            Remove(one);
        }
    }

    /// <summary>Shows a call to those that want to see it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Only while there are any.
    public void Show(
        CommandDefinition command, in RespRequest request, LongArgument? elsewhere, ClientSession client,
        bool isOfScript = false)
    {
        // As in Redis: the calls of administrators may be secret, and scripts are shown when they begin.
        if ((command.Flags & (CommandFlags.Admin | CommandFlags.SkipMonitor)) == 0)
            ShowAnyway(command, request, elsewhere, client, isOfScript);
    }

    /// <summary>Shows a script that begins, before its commands.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Only while there are any.
    public void ShowScript(
        CommandDefinition command, in RespRequest request, LongArgument? elsewhere, ClientSession client) =>
        ShowAnyway(command, request, elsewhere, client, isOfScript: false);

    private void ShowAnyway(
        CommandDefinition command, in RespRequest request, LongArgument? elsewhere, ClientSession client,
        bool isOfScript)
    {
        byte[]? line = null;
        foreach (var one in _all)
        {
            if (!one.Filter.Matches(command, request, client))
                continue;
            line ??= request.Length > RequestBytesMax
                ? [] : Describe(command, request, elsewhere, client, isOfScript);
            if (!one.TryPost(line))
                Remove(one);
        }
    }

    // The client may have begun to monitor again.
    private void Remove(Monitor monitor)
    {
        lock (_lock)
        {
            _all = Array.FindAll(_all, one => one != monitor);
            monitor.Client.IsMonitor = Array.Exists(_all, one => one.Client == monitor.Client);
        }
    }

    // +seconds.microseconds [database address] "word" "word"
    private byte[] Describe(
        CommandDefinition command, in RespRequest request, LongArgument? elsewhere, ClientSession client,
        bool isOfScript)
    {
        long moment = (clock.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond;
        string address = isOfScript ? "lua"
            : client.EndPoints.IsUnixSocket
            ? "unix:" + settings.UnixSocketPath
            : client.EndPoints.Remote;
        var text = new ArrayBufferWriter<byte>((int)request.Length + 128);
        text.Write(Encoding.UTF8.GetBytes(string.Create(
            CultureInfo.InvariantCulture,
            $"+{moment / MicrosecondsPerSecond}.{moment % MicrosecondsPerSecond:D6} [{client.Database} {address}]")));
        for (int i = 0; i < request.Count; i++)
        {
            text.Write(" \""u8);
            if (RequestExcerpt.IsSecret(command, request, i))
                text.Write(RequestExcerpt.Redacted);
            else if (request.IsElsewhere(i))
                Escape(RequestExcerpt.BeginningOf(elsewhere!), text);
            else
                Escape(request[i], text);
            text.Write("\""u8);
        }

        text.Write("\r\n"u8);
        return text.WrittenSpan.ToArray();
    }

    // As Redis does (sdscatrepr).
    private static void Escape(ReadOnlySpan<byte> bytes, ArrayBufferWriter<byte> text)
    {
        while (!bytes.IsEmpty)
        {
            int plain = bytes.IndexOfAnyExcept(_plain);
            text.Write(plain < 0 ? bytes : bytes[..plain]);
            if (plain < 0)
                return;
            byte one = bytes[plain];
            switch (one)
            {
                case (byte)'\\' or (byte)'"':
                    text.Write([(byte)'\\', one]);
                    break;
                case (byte)'\n':
                    text.Write("\\n"u8);
                    break;
                case (byte)'\r':
                    text.Write("\\r"u8);
                    break;
                case (byte)'\t':
                    text.Write("\\t"u8);
                    break;
                case (byte)'\a':
                    text.Write("\\a"u8);
                    break;
                case (byte)'\b':
                    text.Write("\\b"u8);
                    break;
                default:
                    text.Write([(byte)'\\', (byte)'x', HexDigits[one >> 4], HexDigits[one & 0xF]]);
                    break;
            }

            bytes = bytes[(plain + 1)..];
        }
    }

    // Several threads show calls to one client at once: under the gate, so that nothing comes behind the end, which the
    // client would take for the reply to its next request.
    private sealed class Monitor(ClientSession client, Outbox outbox, MonitorFilter filter)
    {
        private readonly Lock _gate = new();
        private long _lines;
        private long _dropped;
        private bool _isOver;

        public ClientSession Client { get; } = client;

        public MonitorFilter Filter { get; } = filter;

        /// <returns>False if it has ended, perhaps with this line.</returns>
        public bool TryPost(byte[] line)
        {
            lock (_gate)
            {
                if (_isOver)
                    return false;
                if (line.Length == 0 || outbox.Bytes + line.Length > WaitingBytesMax)
                {
                    _dropped++;
                    return true;
                }

                TellDropped();
                bool isThere = outbox.TryPost(line);
                if (isThere && ++_lines < Filter.LinesMax)
                    return true;
                EndUnsynchronized(isTold: isThere);
                return false;
            }
        }

        /// <summary>Posts no more lines.</summary>
        /// <param name="isTold">Whether the client gets a line, so that a script knows that no more will come.</param>
        public void End(bool isTold)
        {
            lock (_gate)
            {
                if (!_isOver)
                    EndUnsynchronized(isTold);
            }
        }

        private void EndUnsynchronized(bool isTold)
        {
            _isOver = true;
            Client.IsMonitor = false; // Before the client is told: it may send MONITOR then.
            if (!isTold)
                return;
            TellDropped();
            outbox.TryPost("+end\r\n"u8.ToArray());
        }

        private void TellDropped()
        {
            if (_dropped > 0)
                outbox.TryPost(Encoding.ASCII.GetBytes($"+dropped {_dropped}\r\n"));
            _dropped = 0;
        }
    }
}
