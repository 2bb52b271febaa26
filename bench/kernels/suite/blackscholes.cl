// European options; the normal distribution by the polynomial of Abramowitz and Stegun, 26.2.17.
float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float tail = 0.39894228f * exp(-0.5f * d * d) * k *
        (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0.0f ? 1.0f - tail : tail;
}

kernel void options(global const float *price, global const float *strike, global const float *years,
                    global float *call, global float *put, float rate, float volatility)
{
    size_t i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i];
    float root = volatility * sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / root;
    float d2 = d1 - root;
    float discounted = x * exp(-rate * t);
    float p1 = normal(d1), p2 = normal(d2);
    call[i] = s * p1 - discounted * p2;
    put[i] = discounted * (1.0f - p2) - s * (1.0f - p1);
}
