namespace Cache.Server.Transport.Tls;

/// <summary>The room of a target as memory.</summary>
internal sealed class TargetMemory : CopiedMemory
{
    public FillTarget? Target { get; set; }

    /// <summary>The first bytes of the room; valid until the target is advanced.</summary>
    public Memory<byte> FirstOf(int count) => CreateMemory(count);

    public override Span<byte> GetSpan() => Target is null ? [] : Target.Room;
}
