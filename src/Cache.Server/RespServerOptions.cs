using System.Globalization;
using System.Net;
using System.Text;
using Cache.Durability;
using Cache.Server.Scripts;
using Cache.Server.Settings;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Tls;

namespace Cache.Server;

/// <summary>The options of a <see cref="RespServer"/>; read once, when the server is made.</summary>
public sealed partial class RespServerOptions
{
    /// <summary>The highest <see cref="MaxClients"/>.</summary>
    public const int MaxClientsMax = SettingBounds.ClientsMax;

    /// <summary>The most reserved places beyond <see cref="MaxClients"/>: descriptors are kept for them.</summary>
    public const int ReservedClientsMax = SettingBounds.ReservedClientsMax;

    /// <summary>
    /// The smallest limit of a connection's input or output: a lower one would refuse ordinary requests.
    /// </summary>
    public const long BufferLimitMin = SettingBounds.BufferBytesMin;

    /// <summary>
    /// The greatest limit of a connection's input: an incomplete request is in one stretch of memory.
    /// </summary>
    public const long InputBufferLimitMax = SettingBounds.InputBytesMax;

    /// <summary>The greatest limit of a connection's output.</summary>
    public const long OutputBufferLimitMax = SettingBounds.OutputBytesMax;

    /// <summary>The longest path of a Unix domain socket in bytes; the system's own limit.</summary>
    public const int UnixSocketPathBytesMax = 104;

    /// <summary>The most threads of the epoll transport.</summary>
    public const int IoThreadCountMax = SettingBounds.IoThreadsMax;

    /// <summary>
    /// Keeps the store on disk: the server starts the load of its files, and lets clients save. Its creator stops it,
    /// after the server. Null, the default: nothing is kept.
    /// </summary>
    public CacheDurability? Durability { get; set; }

    /// <summary>
    /// The TCP port; 0 lets the system choose one, which <see cref="RespServer.EndPoints"/> then contains; null for
    /// none, if only <see cref="TlsPort"/> or a Unix domain socket is used. Default: 6379.
    /// </summary>
    public int? Port { get; set; } = 6379;

    /// <summary>
    /// The addresses to listen on: IPv4, IPv6, a host name, * for all of IPv4, ::* for all of IPv6. A leading - allows
    /// an address to be absent, but not all of them. Empty: no TCP at all. Default: 127.0.0.1.
    /// </summary>
    public IReadOnlyList<string> Bind { get; set; } = ["127.0.0.1"];

    /// <summary>The path of a Unix domain socket to listen on as well; null for none, the default.</summary>
    public string? UnixSocketPath { get; set; }

    /// <summary>
    /// The mode of the socket's file; null, the default, leaves it to the process's mask. Has no effect on Windows.
    /// </summary>
    public UnixFileMode? UnixSocketMode { get; set; }

    /// <summary>
    /// The path of a Unix domain socket for administrators; null for none, the default. Its file has the mode 0600. It
    /// answers INFO, CLIENT, CONFIG, ACL, CACHE and SHUTDOWN within a second when nothing else does: while all event
    /// loops hang, the limit of clients is reached, memory is full, or no user can log in. Needs Linux.
    /// </summary>
    public string? AdminSocketPath { get; set; }

    /// <summary>The password that clients must give; null or empty for none, the default.</summary>
    public string? RequirePass { get; set; }

    /// <summary>
    /// Users, each as a name and rules in Redis's syntax: "alice on >secret ~app:* +@read". Passwords after > are kept
    /// as SHA-256 only. Not together with <see cref="AclFile"/>. Empty by default: there is only the user "default",
    /// who may do everything, with <see cref="RequirePass"/>.
    /// </summary>
    public IReadOnlyList<string> Users { get; set; } = [];

    /// <summary>
    /// A file of users, read at the start and by ACL LOAD, written by ACL SAVE; null for none, the default.
    /// </summary>
    public string? AclFile { get; set; }

    /// <summary>The most entries of ACL LOG. Default: 128.</summary>
    public int AclLogMaxLength { get; set; } = 128;

    /// <summary>
    /// New names of commands, by their own names; an empty name disables a command. Empty by default.
    /// </summary>
    public IReadOnlyDictionary<string, string> RenamedCommands { get; set; } = new Dictionary<string, string>();

    /// <summary>
    /// The transport of bytes between sockets and server. Default: epoll if the system has it, on Linux on x64 and
    /// Arm64; else portable.
    /// </summary>
    public RespTransport Transport { get; set; } =
        EpollTransport.IsSupported ? RespTransport.Epoll : RespTransport.Portable;

    /// <summary>
    /// Threads of the epoll transport, each with a share of the connections; the portable one has none. Default: one
    /// for every two processors, since a loop that keeps one processor busy needs another for the system's share of the
    /// work.
    /// </summary>
    public int IoThreadCount { get; set; } = Math.Clamp(Environment.ProcessorCount / 2, 1, IoThreadCountMax);

    /// <summary>
    /// Whether clients of other machines are refused while the default user needs no password, as in Redis. Default:
    /// true.
    /// </summary>
    public bool ProtectedMode { get; set; } = true;

    /// <summary>
    /// The most clients connected at once; further ones are refused. Lowered at the start to what the system's limit of
    /// open files allows. Default: 10000.
    /// </summary>
    public int MaxClients { get; set; } = 10_000;

    /// <summary>
    /// Clients of this machine, by a loopback address or the Unix socket, that may be connected beyond
    /// <see cref="MaxClients"/>, so that an administrator can always connect. They may use administrative commands; the
    /// first other one is refused, and ends the connection. Default: 1.
    /// </summary>
    public int ReservedClients { get; set; } = 1;

    /// <summary>
    /// Connections accepted per second, after a burst of the same number; further ones wait in the system's queue.
    /// Default: 10000.
    /// </summary>
    public int AcceptsPerSecond { get; set; } = 10_000;

    /// <summary>
    /// The most bytes of all clients together, requests and replies; beyond, those that hold most are disconnected. 0,
    /// the default, for half of the store's memory limit, or 128 MB if that is more, but at most three quarters of it.
    /// </summary>
    public long ClientMemoryLimit { get; set; }

    /// <summary>
    /// The time after which a client that must authenticate and does not is disconnected; zero for never. Default: 10
    /// seconds.
    /// </summary>
    public TimeSpan AuthenticationTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The silence in the middle of a request after which a client is disconnected; zero for never. Default: 30
    /// seconds.
    /// </summary>
    public TimeSpan PartialRequestTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The silence after which a client is disconnected, also one that receives no replies; zero, the default, for
    /// never.
    /// </summary>
    public TimeSpan Timeout { get; set; }

    /// <summary>
    /// The silence after which the system probes the peer; zero for never. Default: 300 seconds.
    /// </summary>
    public TimeSpan TcpKeepAlive { get; set; } = TimeSpan.FromSeconds(300);

    /// <summary>Arrivals that the system holds until they are accepted. Default: 511.</summary>
    public int Backlog { get; set; } = 511;

    /// <summary>
    /// Bytes of one incomplete request; a client that exceeds them is disconnected. Default: 1 GB, as in Redis.
    /// </summary>
    public long InputBufferLimit { get; set; } = InputBufferLimitMax;

    /// <summary>
    /// Bytes of replies not yet sent; a client whose replies exceed them is disconnected. A single value of any length
    /// is always allowed. While 64 KB wait, nothing more is read from the client, so only a single command can reach
    /// the limit. Default: 64 MB.
    /// </summary>
    public long OutputBufferLimit { get; set; } = 64 << 20;

    /// <summary>
    /// The time after which a client is disconnected that has replies waiting and receives none of them; zero for
    /// never. Default: 30 seconds.
    /// </summary>
    public TimeSpan OutputStallTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a stop waits for clients to receive their last replies. Default: 5 seconds.</summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Directives of a configuration file as they were written, by name, that no other option covers: those of Redis
    /// without an effect here, which CONFIG GET shows and CONFIG SET changes; and the texts of maxmemory-policy,
    /// maxmemory-clients and client-output-buffer-limit, whose options have another form. Empty by default.
    /// </summary>
    public IReadOnlyDictionary<string, string> KeptParameters { get; set; } = new Dictionary<string, string>();

    /// <summary>
    /// Replaces the names of options in a message for the operator, such as "RespServerOptions.Port", by the names that
    /// were used to set them, such as directives of a file; null, the default, leaves them. Used for messages of the
    /// start and of reloads, not by <see cref="FindProblems"/> and <see cref="FindStartProblems"/>.
    /// </summary>
    public Func<string, string>? MessageWords { get; set; }

    /// <summary>
    /// Called by a client's SHUTDOWN, on a thread of the pool; it should end the program, or at least stop the server.
    /// Null, the default, refuses SHUTDOWN: a client must not end a program with other tasks.
    /// </summary>
    public Action? ShutdownRequested { get; set; }

    /// <summary>
    /// The level of the log, which CONFIG SET loglevel changes; the server's own messages below it are not logged.
    /// Null, the default, leaves the level to the given logging, until CONFIG SET raises it.
    /// </summary>
    public LogLevelSwitch? LogLevel { get; set; }

    /// <summary>
    /// The file of the options, in the form of redis.conf, which INFO shows as config_file and CONFIG REWRITE rewrites;
    /// null for none, the default. The server does not read it.
    /// </summary>
    public string? ConfigurationFile { get; set; }

    /// <summary>Lists each option that is out of range, in a sentence that names it, its value and the range.</summary>
    /// <returns>An empty list if the options can be used.</returns>
    public IReadOnlyList<string> FindProblems()
    {
        var problems = new List<string>();
        FindNullProblems(problems);
        if (problems.Count > 0)
            return problems;
        FindAddressProblems(problems);
        if (Port is { } port)
            RequireRange(problems, nameof(Port), port);
        FindTlsProblems(problems);
        UserOptions.FindProblems(this, problems);
        FindTransportProblems(problems);
        RequireRange(problems, nameof(IoThreadCount), IoThreadCount, min: 1);
        RequireRange(problems, nameof(MaxClients), MaxClients);
        RequireRange(problems, nameof(ReservedClients), ReservedClients);
        RequireRange(problems, nameof(AcceptsPerSecond), AcceptsPerSecond);
        if (ClientMemoryLimit != 0)
            RequireRange(problems, nameof(ClientMemoryLimit), ClientMemoryLimit);
        RequireRange(problems, nameof(AuthenticationTimeout), AuthenticationTimeout);
        RequireRange(problems, nameof(PartialRequestTimeout), PartialRequestTimeout);
        RequireRange(problems, nameof(AclLogMaxLength), AclLogMaxLength);
        RequireRange(problems, nameof(Timeout), Timeout);
        RequireRange(problems, nameof(TcpKeepAlive), TcpKeepAlive);
        RequireRange(problems, nameof(Backlog), Backlog);
        RequireRange(problems, nameof(InputBufferLimit), InputBufferLimit);
        RequireRange(problems, nameof(OutputBufferLimit), OutputBufferLimit);
        RequireRange(problems, nameof(OutputStallTimeout), OutputStallTimeout);
        RequireRange(problems, nameof(DrainTimeout), DrainTimeout);
        FindKeptProblems(problems);
        return problems;
    }

    /// <summary>
    /// Lists the present obstacles to a start with these options, each in a sentence that names the option: files of
    /// TLS and of users that cannot be used, and addresses that cannot be listened on. For hosts that report all errors
    /// at once; <see cref="RespServer.StartAsync"/> reports these itself.
    /// </summary>
    /// <returns>An empty list if there are none.</returns>
    public IReadOnlyList<string> FindStartProblems()
    {
        var problems = new List<string>();
        FindNullProblems(problems);
        if (problems.Count > 0)
            return [];
        UserOptions.Read(this, givesAllChannels: false, problems);
        ClusterOptions.Read(KeptParameters, [Port, TlsPort], static () => false, problems);
        var missing = new List<string>();
        FindTlsFileProblems(missing);
        if (TlsPort is not null && missing.Count == 0)
            TlsCertificateReader.Read(ToTlsSettings(), problems);
        SocketBinder.FindProblems(this, problems);
        return problems;
    }

    /// <summary>Makes the interpreter of scripts: a package of its own, which has a native library.</summary>
    internal Func<IScriptInterpreter>? ScriptInterpreter { get; set; }

    /// <summary>Where a program has the values from, by directive, for those who look at a configuration.</summary>
    internal IReadOnlyDictionary<string, string> Origins { get; set; } = new Dictionary<string, string>();

    internal string InWords(string message) => MessageWords is { } words ? words(message) : message;

    internal void ThrowIfInvalid()
    {
        var problems = FindProblems();
        if (problems.Count > 0)
            throw new ArgumentException(string.Join(" ", problems));
    }

    // Nothing else is looked at where one of them is null.
    private void FindNullProblems(List<string> problems)
    {
        RequireValues(problems, nameof(Bind), Bind);
        RequireValues(problems, nameof(Users), Users);
        RequireValues(problems, nameof(RenamedCommands), RenamedCommands);
        RequireValues(problems, nameof(TlsClientUsers), TlsClientUsers);
        RequireValues(problems, nameof(KeptParameters), KeptParameters);
    }

    private static void RequireValues(List<string> problems, string option, object? values)
    {
        if (values is null)
            problems.Add(Problem(option, "null", "may be empty, but not null"));
    }

    private void FindTransportProblems(List<string> problems)
    {
        if (!Enum.IsDefined(Transport))
        {
            string names = string.Join(", ", Enum.GetNames<RespTransport>());
            problems.Add(Problem(nameof(Transport), Text((int)Transport), $"must be one of {names}"));
        }
        else if (Transport == RespTransport.Epoll && !EpollTransport.IsSupported)
        {
            problems.Add(Problem(nameof(Transport), nameof(RespTransport.Epoll), "needs Linux on x64 or Arm64"));
        }
    }

    private void FindAddressProblems(List<string> problems)
    {
        foreach (string address in Bind)
        {
            if (!BindAddress.Parse(address).IsValid)
                problems.Add(Problem(nameof(Bind), $"'{address}'", "must be an IP address, a host name, * or ::*"));
        }

        if (Bind.Count > SettingBounds.BindAddressesMax)
        {
            problems.Add(Problem(
                nameof(Bind), $"{Text(Bind.Count)} addresses long",
                $"must have at most {Text(SettingBounds.BindAddressesMax)}"));
        }

        if (Bind.Count == 0 && UnixSocketPath is null)
        {
            problems.Add(Problem(
                nameof(Bind), "empty", $"must name an address unless {Ref(nameof(UnixSocketPath))} is given"));
        }

        RequireSocketPath(problems, nameof(UnixSocketPath), UnixSocketPath);
        RequireSocketPath(problems, nameof(AdminSocketPath), AdminSocketPath);
        if (AdminSocketPath is { } admin && !OperatingSystem.IsLinux())
            problems.Add(Problem(nameof(AdminSocketPath), $"'{admin}'", "needs Linux"));
        else if (AdminSocketPath is { } same && same == UnixSocketPath)
        {
            problems.Add(Problem(
                nameof(AdminSocketPath), $"'{same}'", $"must differ from {Ref(nameof(UnixSocketPath))}"));
        }


        if (Bind.Count > 0 && Port is null && TlsPort is null && UnixSocketPath is null)
        {
            string others = $"{Ref(nameof(TlsPort))} or {Ref(nameof(UnixSocketPath))}";
            problems.Add(Problem(nameof(Port), "null", $"must be a port unless {others} is given"));
        }

        // The permission bits of owner, group and others.
        if (UnixSocketMode is { } mode && ((int)mode & ~0b111_111_111) != 0)
        {
            string octal = Convert.ToString((int)mode, 8);
            problems.Add(Problem(nameof(UnixSocketMode), octal, "must be between 0 and 777, octal"));
        }
    }

    private static void RequireSocketPath(List<string> problems, string option, string? path)
    {
        if (path is null)
            return;
        if (path.Contains('\0') || Encoding.UTF8.GetByteCount(path) is 0 or > UnixSocketPathBytesMax)
        {
            problems.Add(Problem(
                option, $"'{path}'", $"must be a path of 1 to {UnixSocketPathBytesMax} bytes without a NUL"));
        }
    }

    // The directive has the bounds.
    private static void RequireRange(List<string> problems, string option, long value, long min = 0)
    {
        var kind = DirectiveTable.FindByOption(option)!.Kind;
        min = Math.Max(min, kind.Min);
        if (value < min || value > kind.Max)
            problems.Add(Problem(option, Text(value), $"must be between {Text(min)} and {Text(kind.Max)}"));
    }

    private static void RequireRange(List<string> problems, string option, TimeSpan value)
    {
        var max = TimeSpan.FromSeconds(DirectiveTable.FindByOption(option)!.Kind.Max);
        if (value < TimeSpan.Zero || value > max)
            problems.Add(Problem(option, value.ToString(), $"must be between {TimeSpan.Zero} and {max}"));
    }

    private void FindKeptProblems(List<string> problems)
    {
        foreach (var (name, value) in KeptParameters)
        {
            if (DirectiveTable.Find(name)?.Kind is { } kind && kind.FindProblem(value) is not null)
                problems.Add(Problem(nameof(KeptParameters), $"'{value}' for {name}", $"must be {kind.Rule}"));
        }
    }

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private static string Problem(string option, string value, string rule) =>
        $"{Ref(option)} is {value}; it {rule}.";

    // Hosts that use other names for options replace these references.
    internal static string Ref(string option) => $"{nameof(RespServerOptions)}.{option}";
}
