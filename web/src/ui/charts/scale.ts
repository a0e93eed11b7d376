// Value axes in round steps. Visual language §11: four or five lines, baseline 0.

/** The values of the lines from 0 up: steps of 1, 2, 2.5 or 5 times a power of ten, always whole numbers. */
export function axisSteps(max: number): readonly number[] {
  const rough = Math.max(max, 4) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10]
    .map((factor) => factor * power)
    .find((size) => size >= rough && Number.isInteger(size))
  const whole = step ?? Math.ceil(rough)
  const count = Math.max(1, Math.ceil(max / whole))
  return Array.from({ length: Math.max(count, 3) + 1 }, (_, index) => index * whole)
}
