using System.CommandLine;
using Cache.Bench.ServerLoad;

namespace Cache.Bench.Verbs;

/// <summary>Our own transport, connections and protocol with nothing at their end: what the pipe alone costs.</summary>
internal static class NullServerVerb
{
    private static readonly Option<int> _port = new("--port") { DefaultValueFactory = static _ => 6379 };
    private static readonly Option<int> _value = new("--value")
    {
        Description = "Bytes of the value that every GET is answered with.",
        DefaultValueFactory = static _ => 256,
    };

    public static Command Create()
    {
        var verb = new Command("null-server", "Serves a fixed value over our own transport: the server's floor.")
        {
            _port, _value,
        };
        _value.RequireAtLeast(0);
        verb.SetAction((arguments, _) => Serve(arguments.GetValue(_port), arguments.GetValue(_value)));
        return verb;
    }

    private static async Task<int> Serve(int port, int valueBytes)
    {
        await BareServer.ServeAsync(port, new NullExecutor(valueBytes), $"GET with {valueBytes} bytes");
        return 0;
    }
}
