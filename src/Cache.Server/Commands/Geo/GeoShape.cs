namespace Cache.Server.Commands.Geo;

/// <summary>Where members are searched: a circle, or a box whose sides run north and east.</summary>
internal readonly record struct GeoShape
{
    private readonly GeoPosition _center;
    private readonly bool _isBox;

    // In the client's unit; the radius twice, or the sides.
    private readonly double _width;
    private readonly double _height;

    private GeoShape(GeoPosition center, bool isBox, double width, double height, double unit) =>
        (_center, _isBox, _width, _height, Unit) = (center, isBox, width, height, unit);

    public GeoPosition Center
    {
        get => _center;
        init => _center = value;
    }

    /// <summary>The client's unit in meters.</summary>
    public double Unit { get; }

    public static GeoShape Circle(double radius, double unit) => new(default, isBox: false, radius, radius, unit);

    public static GeoShape Box(double width, double height, double unit) =>
        new(default, isBox: true, width, height, unit);

    /// <summary>From the center to the farthest point, in meters.</summary>
    public double Radius =>
        Unit * (_isBox ? Math.Sqrt(_width / 2 * (_width / 2) + _height / 2 * (_height / 2)) : _width);

    /// <summary>The box of degrees around it.</summary>
    public (double West, double South, double East, double North) Bounds
    {
        get
        {
            double height = Unit * (_isBox ? _height / 2 : _height);
            double width = Unit * (_isBox ? _width / 2 : _width);
            double latitudes = GeoPosition.ToDegrees(height / GeoPosition.EarthRadius);

            // A degree is shortest at the edge that is nearer to the pole.
            double edge = _center.Latitude < 0 ? _center.Latitude - latitudes : _center.Latitude + latitudes;
            double longitudes = GeoPosition.ToDegrees(
                width / GeoPosition.EarthRadius / Math.Cos(GeoPosition.ToRadians(edge)));
            return (_center.Longitude - longitudes, _center.Latitude - latitudes,
                _center.Longitude + longitudes, _center.Latitude + latitudes);
        }
    }

    /// <summary>Whether a point lies in it.</summary>
    /// <param name="position">The point.</param>
    /// <param name="distance">How far it is from the center, in meters.</param>
    public bool Contains(GeoPosition position, out double distance)
    {
        distance = 0;
        if (_isBox)
        {
            var sameLatitude = position with { Longitude = _center.Longitude };
            var sameLongitude = position with { Latitude = _center.Latitude };
            if (position.DistanceTo(sameLatitude) > _width * Unit / 2
                || position.DistanceTo(sameLongitude) > _height * Unit / 2)
            {
                return false;
            }
        }

        distance = _center.DistanceTo(position);
        return _isBox || !(distance > _width * Unit);
    }
}
