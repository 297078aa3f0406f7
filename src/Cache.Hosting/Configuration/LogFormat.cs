namespace Cache.Hosting.Configuration;

/// <summary>How lines of the log look.</summary>
internal enum LogFormat
{
    /// <summary>A line for people.</summary>
    Text,

    /// <summary>An object in a line, for programs.</summary>
    Json,
}
