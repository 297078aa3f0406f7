using System.Text;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Bench.ServerLoad;

/// <summary>Answers GET with a fixed value and all else with OK: what is measured is the way there and back.</summary>
internal readonly struct NullExecutor(int valueBytes) : IRequestExecutor
{
    private readonly byte[] _getReply = Encoding.ASCII.GetBytes($"${valueBytes}\r\n{new string('x', valueBytes)}\r\n");

    public void Execute(in RespRequest request, CommandContext context)
    {
        context.Counters.Traffic.Commands++;
        context.Reply.Literal(IsGet(request[0]) ? _getReply : "+OK\r\n"u8);
    }

    public int ExecuteCommon(
        ReadOnlySpan<byte> input,
        ReadOnlySpan<CommonRequest> requests,
        int unflushedBytesMax,
        CommandContext context)
    {
        int count = 0;
        do
            context.Reply.Literal(requests[count].IsGet ? _getReply : "+OK\r\n"u8);
        while (++count < requests.Length && context.Reply.UnflushedBytes < unflushedBytesMax);
        context.Counters.Traffic.Commands += count;
        return count;
    }

    private static bool IsGet(ReadOnlySpan<byte> name) => name.Length == 3 && Ascii.EqualsIgnoreCase(name, "GET"u8);
}
