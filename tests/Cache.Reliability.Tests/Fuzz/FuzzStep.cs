namespace Cache.Reliability.Tests.Fuzz;

/// <summary>What a step of a session does.</summary>
internal enum FuzzStepKind
{
    /// <summary>Sends bytes as one piece; connects first if the connection is not there.</summary>
    Send,

    /// <summary>Sends nothing more, and reads to the end.</summary>
    Close,

    /// <summary>Goes away without a word.</summary>
    Vanish,

    /// <summary>Lets time pass, where the clock is the test's.</summary>
    Advance,
}

/// <summary>One step of a session.</summary>
/// <param name="Kind">What is done.</param>
/// <param name="Connection">To which connection; of an Advance: how many milliseconds.</param>
/// <param name="Bytes">What is sent.</param>
internal sealed record FuzzStep(FuzzStepKind Kind, int Connection, byte[] Bytes);
