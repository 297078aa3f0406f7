namespace Cache.Client;

/// <summary>Waits for the replies of requests that were sent together.</summary>
/// <param name="command">Their name, for messages.</param>
/// <param name="count">The number of replies.</param>
internal abstract class PendingReply(string command, int count)
{
    public string Command { get; } = command;

    /// <summary>The replies that have not come yet; the connection counts.</summary>
    public int RepliesLeft { get; set; } = count;

    /// <summary>The next reply, on the thread that reads, in order with pushes. It must not wait.</summary>
    public abstract void Take(in RespReply reply);

    /// <summary>Further replies will not come.</summary>
    public abstract void Fail(RespClientException failure);
}
