using System.Text;

namespace Cache.Server;

/// <summary>A message of a channel, as a subscriber in the process gets it.</summary>
/// <param name="Pattern">The pattern that matched, in UTF-8; empty if the channel itself is subscribed to.</param>
/// <param name="Channel">The channel, in UTF-8.</param>
/// <param name="Payload">What was published. Shared with other subscribers: do not change it.</param>
public readonly record struct RespMessage(
    ReadOnlyMemory<byte> Pattern, ReadOnlyMemory<byte> Channel, ReadOnlyMemory<byte> Payload)
{
    /// <summary>The channel as text.</summary>
    public string ChannelText => Encoding.UTF8.GetString(Channel.Span);

    /// <summary>The payload as text.</summary>
    public string PayloadText => Encoding.UTF8.GetString(Payload.Span);
}
