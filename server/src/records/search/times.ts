// Times of the database as milliseconds, outwards to whole ones. In SQL.

/** The milliseconds before or at `time`. */
export const fromOf = (time: string): string => `floor(extract(epoch from ${time}) * 1000)::float8`

/** The milliseconds at or after `time`. */
export const toOf = (time: string): string => `ceil(extract(epoch from ${time}) * 1000)::float8`
