using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Server.Doctor;

/// <summary>How figures name what clients have chosen.</summary>
internal abstract class FigureNames
{
    public abstract string OfKey(ReadOnlySpan<byte> key);

    /// <summary>A client by the name that it has set.</summary>
    public abstract string OfClient(ReadOnlySpan<byte> name);

    public abstract string OfAddress(string address);

    /// <summary>The command of a slow request.</summary>
    public abstract string OfCommand(ServerState server, SlowRequest request);

    /// <summary>Why files cannot be written.</summary>
    public abstract string OfProblem(Exception problem);
}
