using System.Diagnostics.CodeAnalysis;

namespace Cache.Client;

/// <summary>A server refused a command, or could not be asked. The message names the server and the command.</summary>
[SuppressMessage("Design", "CA1032", Justification = "Only connections make it.")]
public sealed class RespClientException : IOException
{
    internal RespClientException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    internal RespClientException(string message, string errorCode)
        : base(message) => ErrorCode = errorCode;

    /// <summary>The first word of the server's error reply, "WRONGPASS" for example; null if it sent none.</summary>
    public string? ErrorCode { get; }
}
