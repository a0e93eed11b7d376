// Notices a provider whose pages lead nowhere: with ever new cursors and nothing behind them it would be read for ever.

const emptyPagesMax = 100
const idlePagesMax = 5_000

/** A page whose rows are stored. */
export interface StoredPage {
  readonly rowCount: number
  /**
   * Whether it had rows that became records, or that are newer than those before. A walk over known records of a long
   * time, as after a change of the settings, passes any number of pages that come oldest first.
   */
  readonly leadsOn: boolean
}

/** The pages of one walk. */
export class EndlessPages {
  #emptyPages = 0
  #idlePages = 0

  note({ rowCount, leadsOn }: StoredPage): void {
    this.#emptyPages = rowCount === 0 ? this.#emptyPages + 1 : 0
    this.#idlePages = leadsOn ? 0 : this.#idlePages + 1
  }

  /** Whether the walk must not go on. */
  get isEndless(): boolean {
    return this.#emptyPages > emptyPagesMax || this.#idlePages > idlePagesMax
  }
}
