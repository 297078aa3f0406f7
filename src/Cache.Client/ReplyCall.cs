namespace Cache.Client;

/// <summary>One reply that somebody waits for.</summary>
internal sealed class ReplyCall(string command) : PendingReply(command, 1)
{
    private readonly TaskCompletionSource<RespReply> _completion =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<RespReply> Task => _completion.Task;

    public override void Take(in RespReply reply) => _completion.TrySetResult(reply);

    public override void Fail(RespClientException failure) => _completion.TrySetException(failure);
}
