namespace Cache.Server.Doctor;

/// <summary>What the doctor has found.</summary>
/// <param name="Rule">The name of the rule.</param>
/// <param name="Severity">How bad it is.</param>
/// <param name="Sentence">What is the matter, with the figures that show it.</param>
/// <param name="Advice">What to do.</param>
internal sealed record Finding(string Rule, Severity Severity, string Sentence, string Advice);
