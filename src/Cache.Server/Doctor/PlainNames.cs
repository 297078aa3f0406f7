using System.Text;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Server.Doctor;

/// <summary>
/// For those who may see the server's keys and clients: as it is, printable, and no longer than a sentence allows.
/// </summary>
internal sealed class PlainNames : FigureNames
{
    private const int BytesShown = 64;

    public override string OfKey(ReadOnlySpan<byte> key) => Shown(key);

    public override string OfClient(ReadOnlySpan<byte> name) => Shown(name);

    public override string OfAddress(string address) => address;

    public override string OfCommand(ServerState server, SlowRequest request) => Shown(request.Arguments[0]);

    public override string OfProblem(Exception problem) => problem.Message;

    private static string Shown(ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder();
        foreach (byte one in bytes[..Math.Min(bytes.Length, BytesShown)])
            text.Append(one is >= (byte)' ' and < 0x7F ? (char)one : '?');
        return text.Append(bytes.Length > BytesShown ? "…" : "").ToString();
    }
}
