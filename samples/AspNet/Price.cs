namespace AspNet;

/// <summary>What a fruit costs today.</summary>
/// <param name="Fruit">Its name.</param>
/// <param name="Cents">For a kilogram.</param>
internal sealed record Price(string Fruit, int Cents);
