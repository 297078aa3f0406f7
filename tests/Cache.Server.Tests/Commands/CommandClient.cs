using System.IO.Pipelines;
using System.Text;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Tests.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Commands;

/// <summary>
/// A client of a server without sockets: executes commands by the dispatcher and gives their replies as text.
/// </summary>
internal sealed class CommandClient
{
    private readonly MemoryStream _stream = new();
    private readonly PipeWriter _pipe;

    // The command that waits, see Begin, and the end of its wait.
    private string[]? _waiting;
    private Task<SuspensionEnd>? _wait;

    public CommandClient(CacheStore store)
        : this(TestServerState.Create(store))
    {
    }

    public CommandClient(ServerState server)
    {
        Server = server;
        _pipe = PipeWriter.Create(_stream, new StreamPipeWriterOptions(leaveOpen: true));
        var endPoints = new ClientEndPoints("127.0.0.1:50000", "127.0.0.1:6379");
        Client = server.Clients.TryAdd(endPoints, () => IsAborted = true)
            ?? throw new InvalidOperationException("The server takes no more clients.");
        Context = server.Contexts.Borrow();
        Context.Begin(Client, _pipe);
    }

    public ServerState Server { get; }

    public ClientSession Client { get; }

    public CommandContext Context { get; }

    /// <summary>Called before the server executes a command, and after it: not while the client itself works.</summary>
    public (Action Before, Action After)? Watch { get; init; }

    /// <summary>Whether the server ended the connection at once.</summary>
    public bool IsAborted { get; private set; }

    /// <summary>Executes a command line whose words are separated by single blanks.</summary>
    public string Run(string line) => Call(line.Split(' '));

    /// <summary>Executes a command; a char of the text is a byte, in arguments and reply.</summary>
    public string Call(params string[] arguments) => Encoding.Latin1.GetString(CallBytes(arguments));

    /// <summary>Executes a command and gives the reply's bytes; if it waits, as if its time had passed.</summary>
    public byte[] CallBytes(params string[] arguments)
    {
        _ = Context.TryEnter();
        Context.WriteMessages();
        Execute(arguments);
        if (Context.GaveWay && Client.IsParked)
        {
            Client.Suspension.Begin(Client.Suspension.Reason, TimeSpan.Zero);
            BeginWait(arguments);
            EndWait();
        }

        Context.WriteMessages(); // As a connection does.
        Context.Leave();
        return Flush();
    }

    /// <summary>
    /// Executes a command that waits: <see cref="Receive"/> gives its reply, once it was served or its wait was ended.
    /// </summary>
    public string Begin(params string[] arguments)
    {
        _ = Context.TryEnter();
        Context.WriteMessages();
        Execute(arguments);
        BeginWait(arguments);
        Context.Leave();
        return Encoding.Latin1.GetString(Flush());
    }

    /// <summary>The messages that others have pushed to it; a char of the text is a byte.</summary>
    public string Receive()
    {
        Context.WriteMessages();
        if (_wait is { IsCompleted: true })
        {
            _ = Context.TryEnter();
            EndWait();
            Context.Leave();
        }

        Context.WriteMessages();
        return Encoding.Latin1.GetString(Flush());
    }

    private void Execute(string[] arguments)
    {
        byte[] input = Encoding.Latin1.GetBytes(string.Concat(arguments));
        var ranges = new ArgumentRange[arguments.Length];
        int offset = 0;
        for (int i = 0; i < ranges.Length; offset += arguments[i++].Length)
            ranges[i] = new ArgumentRange(offset, arguments[i].Length);
        Watch?.Before();
        CommandDispatcher.Execute(new RespRequest(input, ranges), Context);
        Watch?.After();
    }

    private void BeginWait(string[] arguments)
    {
        if (!Context.GaveWay || !Client.IsParked)
            return;
        Client.Suspension.Post = static (work, state) => work(state);
        _waiting = arguments;
        _wait = Client.Suspension.WaitAsync(Server.TimeProvider).AsTask();
    }

    private void EndWait()
    {
        Context.SuspensionEnd = _wait!.GetAwaiter().GetResult();
        Context.Stay();
        _wait = null;
        Execute(_waiting!);
        Context.SuspensionEnd = SuspensionEnd.None;
        BeginWait(_waiting!); // Perhaps it was woken for nothing.
    }

    private byte[] Flush()
    {
        Context.Output.BeginFlush();
        _pipe.FlushAsync(TestContext.Current.CancellationToken).AsTask().GetAwaiter().GetResult();
        byte[] reply = _stream.ToArray();
        _stream.SetLength(0);
        return reply;
    }
}
