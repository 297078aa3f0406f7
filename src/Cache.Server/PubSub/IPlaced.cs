namespace Cache.Server.PubSub;

/// <summary>An object that knows its place in a list.</summary>
internal interface IPlaced
{
    /// <summary>Where it is; under the table's gate.</summary>
    int Place { get; set; }
}
