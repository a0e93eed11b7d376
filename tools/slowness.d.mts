export interface Look {
  readonly at: number
  readonly tookMs: number
}

export class Slowness {
  constructor(looks: readonly Look[])
  readonly mean: number
  between(from: number, to: number): number
}

export const spinReferenceMs: number
export function watchSlowness(): () => Slowness
export function slowTests(report: object, slowness: Slowness, root: string): string[]
