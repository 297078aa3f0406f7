using System.IO.Pipelines;
using System.Text;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Tests.Commands.Replies;

public sealed class ByteStringListTests
{
    [Fact]
    public void Restart_HalfABatch_ForgetsIt()
    {
        using var list = new ByteStringList();
        var sink = new ByteStringSink(list);
        list.Add("stale"u8);
        sink.Miss();
        sink.GetSpan(100_000);

        sink.Restart();
        "fresh"u8.CopyTo(sink.GetSpan(5));
        sink.Advance(5);

        Assert.Equal("*1\r\n$5\r\nfresh\r\n", Write(list));
    }

    [Fact]
    public void GetSpan_TornCopy_IsTakenAgain()
    {
        using var list = new ByteStringList();
        list.GetSpan(50).Fill((byte)'x');
        "whole"u8.CopyTo(list.GetSpan(5));
        list.Advance(5);

        Assert.Equal("*1\r\n$5\r\nwhole\r\n", Write(list));
    }

    [Fact]
    public void WriteTo_ManyChunks_ForgetsThemAndCountsThemWhileTheyAreThere()
    {
        using var list = new ByteStringList();
        list.Add([]);
        list.AddAbsent();
        Assert.Equal("*2\r\n$0\r\n\r\n$-1\r\n", Write(list));
        Assert.Equal(0, list.Count);
        for (int i = 0; i < 100; i++)
            list.Add(new byte[10_000]);
        Assert.InRange(list.MemoryBytes, 1_000_000, 2_000_000);

        Assert.StartsWith("*100\r\n$10000\r\n\0", Write(list), StringComparison.Ordinal);
        Assert.Equal(0, list.MemoryBytes);
        Assert.Equal("*0\r\n", Write(list));
    }

    private static string Write(ByteStringList list)
    {
        using var stream = new MemoryStream();
        var pipe = PipeWriter.Create(stream);
        var reply = new RespReplyWriter(pipe);
        list.WriteTo(reply);
        reply.BeginFlush();
        pipe.Complete();
        return Encoding.Latin1.GetString(stream.ToArray());
    }
}
