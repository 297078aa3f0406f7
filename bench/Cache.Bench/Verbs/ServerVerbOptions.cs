using System.CommandLine;
using System.Net;
using Cache.Bench.ServerLoad;

namespace Cache.Bench.Verbs;

/// <summary>The command line of <see cref="ServerVerb"/>.</summary>
internal sealed class ServerVerbOptions
{
    private static readonly LoadOptions _defaults = new() { Target = new IPEndPoint(IPAddress.Loopback, 0) };

    private readonly Option<bool> _preload = new("--preload") { Description = "Sets every key once, before the load." };
    private readonly Option<long> _keys = WithDefault("--keys", _defaults.Keys, "How many keys.");
    private readonly Option<int> _keyBytes = WithDefault("--key-bytes", _defaults.KeyBytes, "Bytes of a key.");
    private readonly Option<int> _value = WithDefault("--value", _defaults.ValueBytes, "Bytes of a value.");
    private readonly Option<string> _ratio = WithDefault("--ratio", "4:1", "GET:SET, such as 4:1 or 1:0.");
    private readonly Option<string> _distribution = WithDefault("--distribution", "uniform", "How keys are drawn.");
    private readonly Option<double> _theta = WithDefault("--theta", 0.99, "The exponent of --distribution zipf.");
    private readonly Option<int> _connections = WithDefault(
        "--connections", _defaults.Connections, "How many connections.");

    private readonly Option<int> _pipeline = WithDefault(
        "--pipeline", _defaults.Pipeline, "Requests that a connection sends together; with --rate, at most.");

    private readonly Option<double> _rate = WithDefault(
        "--rate", _defaults.Rate, "Operations per second, sent on time whatever the replies; 0: a closed loop.");

    private readonly Option<double> _seconds = WithDefault("--seconds", _defaults.Seconds, "How long a round takes.");
    private readonly Option<long> _requests = WithDefault(
        "--requests", _defaults.Requests, "Operations of a round, instead of --seconds.");

    private readonly Option<int> _rounds = WithDefault(
        "--rounds", _defaults.Rounds, "How many rounds; the median is printed. 0: the preload alone.");

    private readonly Option<double> _warmup = WithDefault(
        "--warmup", _defaults.WarmupSeconds, "Seconds before the first round.");

    private readonly Option<int?> _pid = new("--pid")
    {
        Description = "The server's process, for its CPU time and memory.",
    };

    private readonly TlsOption _tls = new();
    private readonly Option<string?> _password = new("--password") { Description = "Sent with AUTH." };
    private readonly Option<ulong?> _seed = new("--seed")
    {
        Description = "Draws the same commands again. Default: another each time.",
    };

    private readonly Option<bool> _requireHits = new("--require-hits")
    {
        Description = "A key that is not there is a wrong answer.",
    };

    private readonly Option<bool> _noVerify = new("--no-verify")
    {
        Description = "Takes any value of the right length, as of a server that always sends the same.",
    };

    public ServerVerbOptions()
    {
        _distribution.AcceptOnlyFromAmong("uniform", "zipf");
        _ratio.Validators.Add(result =>
        {
            if (!LoadOptions.TryParseRatio(result.GetValueOrDefault<string>(), out _, out _))
                result.AddError($"--ratio is '{result.GetValueOrDefault<string>()}'; it must be GET:SET, such as 4:1.");
        });
        RequireRange(_theta, 0.01, 10);
        Threads.Validators.Add(result =>
        {
            int threads = result.GetValueOrDefault<int>();
            if (threads < 1 || threads > Environment.ProcessorCount)
                result.AddError($"--threads is {threads}; it must be between 1 and {Environment.ProcessorCount}.");
        });
    }

    public TargetOption Target { get; } = new();

    public Option<int> Threads { get; } = WithDefault("--threads", 1, "The client's threads.");

    public Option<bool> CheckOnly { get; } = new("--check-only")
    {
        Description = "A small smoke test: values of several sizes, stored and verified. Overwrites 500 keys.",
    };

    public Option<bool> Json { get; } = new("--json") { Description = "Prints one line of JSON instead of a table." };

    public Option<string> ServerName { get; } = WithDefault("--server-name", "", "The server's name in the JSON.");

    public Option<string> LoadName { get; } = WithDefault("--load-name", "", "The load's name in the JSON.");

    public void AddTo(Command verb)
    {
        foreach (Option option in new Option[]
        {
            Target, _preload, _keys, _keyBytes, _value, _ratio, _distribution, _theta, _connections, _pipeline, _rate,
            _seconds, _requests, _rounds, _warmup, Threads, _pid, _password, _seed, _requireHits, _noVerify, CheckOnly,
            Json, ServerName, LoadName,
        })
        {
            verb.Options.Add(option);
        }

        _tls.AddTo(verb);
    }

    public LoadOptions ToLoadOptions(ParseResult arguments)
    {
        LoadOptions.TryParseRatio(arguments.GetValue(_ratio)!, out int getShare, out int setShare);
        long keys = arguments.GetValue(_keys);
        bool isZipf = arguments.GetValue(_distribution) == "zipf" && keys > 0;
        var target = Target.ReadFrom(arguments);
        return new LoadOptions
        {
            Target = target,
            Tls = _tls.ReadFrom(arguments, target),
            Password = arguments.GetValue(_password),
            Preload = arguments.GetValue(_preload),
            Keys = keys,
            KeyBytes = arguments.GetValue(_keyBytes),
            ValueBytes = arguments.GetValue(_value),
            GetShare = getShare,
            SetShare = setShare,
            Zipf = isZipf ? new ZipfDistribution(keys, arguments.GetValue(_theta)) : null,
            Connections = arguments.GetValue(_connections),
            Pipeline = arguments.GetValue(_pipeline),
            Rate = arguments.GetValue(_rate),
            Seconds = arguments.GetValue(_seconds),
            Requests = arguments.GetValue(_requests),
            Rounds = arguments.GetValue(_rounds),
            WarmupSeconds = arguments.GetValue(_warmup),
            ProcessId = arguments.GetValue(_pid),
            Seed = arguments.GetValue(_seed) ?? (ulong)Random.Shared.NextInt64(),
            VerifyValues = !arguments.GetValue(_noVerify),
            RequireHits = arguments.GetValue(_requireHits),
        };
    }

    private static Option<T> WithDefault<T>(string name, T value, string description) =>
        new(name) { DefaultValueFactory = _ => value, Description = description };

    private static void RequireRange(Option<double> option, double min, double max) => option.Validators.Add(result =>
    {
        double value = result.GetValueOrDefault<double>();
        if (!(value >= min && value <= max))
            result.AddError($"{option.Name} is {value}; it must be between {min} and {max}.");
    });
}
