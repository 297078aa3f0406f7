namespace Cache.Server.Doctor;

/// <summary>How bad a finding is; the worst last.</summary>
internal enum Severity
{
    /// <summary>Worth knowing.</summary>
    Note,

    /// <summary>Somebody should look today: clients are slower, or more is missed, than need be.</summary>
    Warning,

    /// <summary>Somebody should look now: requests fail, or data may be lost.</summary>
    Critical,
}
