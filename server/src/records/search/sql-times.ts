// SQL of times as whole milliseconds, rounded outwards.

/** The milliseconds before or at `time`. */
export const floorMs = (time: string): string => `floor(extract(epoch from ${time}) * 1000)::float8`

/** The milliseconds at or after `time`. */
export const ceilMs = (time: string): string => `ceil(extract(epoch from ${time}) * 1000)::float8`
