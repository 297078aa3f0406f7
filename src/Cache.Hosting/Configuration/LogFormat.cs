namespace Cache.Hosting.Configuration;

/// <summary>The format of the log.</summary>
internal enum LogFormat
{
    /// <summary>Readable lines.</summary>
    Text,

    /// <summary>One JSON object per line.</summary>
    Json,
}
