namespace Cache.Server.PubSub;

/// <summary>A message for a subscriber in the process.</summary>
internal readonly record struct LocalMessage(byte[] Pattern, byte[] Channel, byte[] Payload);
