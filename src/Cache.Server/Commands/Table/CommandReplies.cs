using System.IO.Pipelines;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Table;

/// <summary>The replies of COMMAND INFO and COMMAND DOCS for one command, made once.</summary>
/// <remarks>
/// Made for each request, the texts of the table's source would be objects of half a megabyte for each COMMAND DOCS,
/// whose collection pauses all clients. Thread-safe: if two threads make one at once, either will do.
/// </remarks>
internal sealed partial class CommandReplies(CommandDefinition command)
{
    private const int FirstVersion = 2;
    private const int Versions = 2;

    private readonly byte[]?[] _infos = new byte[]?[Versions];
    private readonly byte[]?[] _docs = new byte[]?[Versions];

    /// <summary>The ten elements of COMMAND INFO, in a version of RESP.</summary>
    public ReadOnlySpan<byte> Info(int version) =>
        _infos[version - FirstVersion] ??= Make(version, WriteInfo);

    /// <summary>A pair of the map of COMMAND DOCS, in a version of RESP.</summary>
    public ReadOnlySpan<byte> Docs(int version) =>
        _docs[version - FirstVersion] ??= Make(version, WriteDocs);

    private byte[] Make(int version, Action<RespReplyWriter, CommandDefinition> write)
    {
        var bytes = new MemoryStream();
        var pipe = PipeWriter.Create(bytes);
        var reply = new RespReplyWriter(pipe) { ProtocolVersion = version };
        write(reply, command);
        reply.BeginFlush();
        pipe.Complete();
        return bytes.ToArray();
    }
}
