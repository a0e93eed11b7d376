// What clients must be billed, paid and credited, in whole millionths, from messages, holders and rates alone. It knows
// nothing of the product's tables and shares no code with it.

export interface ModelDebt {
  readonly client: number
  readonly cycleId: number
  /** The payout's id; undefined: the bill. */
  readonly payoutId: number | undefined
  readonly total: bigint
  received: bigint
  setOff: bigint
  waived: bigint
  /** What of the surplus is decided on. */
  decided: bigint
  /** Whether nothing more is expected for it. */
  isSettled: boolean
}

/** What a client's statement of a cycle must sum to. */
export interface ModelStatement {
  readonly client: number
  readonly cycleId: number
  /** 0 for a client who owes: that is carried over. */
  readonly bill: bigint
  readonly payouts: bigint
}

interface Account {
  /** Earned in the open cycle for the bill: traffic, corrections, released messages, and what was carried over. */
  bill: bigint
  /** Earned in the open cycle by number, for payouts. */
  readonly payouts: Map<number, bigint>
  held: bigint
  paid: bigint
  credit: bigint
}

export class MoneyModel {
  readonly debts: ModelDebt[] = []
  readonly statements: ModelStatement[] = []
  readonly #accounts = new Map<number, Account>()

  get clients(): number[] {
    return [...this.#accounts.keys()]
  }

  account(client: number): Account {
    let found = this.#accounts.get(client)
    if (found === undefined) {
      found = { bill: 0n, payouts: new Map(), held: 0n, paid: 0n, credit: 0n }
      this.#accounts.set(client, found)
    }
    return found
  }

  earn(client: number, number: number, amount: bigint): void {
    const account = this.account(client)
    if (number <= 2) account.bill += amount
    else account.payouts.set(number, (account.payouts.get(number) ?? 0n) + amount)
  }

  correct(client: number, amount: bigint): void {
    this.account(client).bill += amount
  }

  hold(client: number, amount: bigint): void {
    this.account(client).held += amount
  }

  /** A released message counts as if it had never been held; in a later cycle it is a line of the bill. */
  release(client: number, number: number, amount: bigint, isLater: boolean): void {
    this.account(client).held -= amount
    if (isLater) this.correct(client, amount)
    else this.earn(client, number, amount)
  }

  refuse(client: number, amount: bigint): void {
    this.account(client).held -= amount
  }

  /** `payoutIds` says which payout got which id: they are set off in this order. */
  close(cycleId: number, payoutIds: ReadonlyMap<string, number>): void {
    for (const [client, account] of this.#accounts) {
      const total = account.bill
      const inPayouts = [...account.payouts.values()].reduce((sum, amount) => sum + amount, 0n)
      if (total !== 0n || inPayouts !== 0n)
        this.statements.push({ client, cycleId, bill: total > 0n ? total : 0n, payouts: inPayouts })
      account.bill = total > 0n ? 0n : total
      if (total > 0n) this.#owe(client, cycleId, undefined, total)
      const payouts = [...account.payouts].map(
        ([number, amount]) => [payoutIds.get(`${client}-${number}`) ?? 0, amount] as const,
      )
      for (const [id, amount] of payouts.toSorted(([a], [b]) => a - b)) {
        const debt = this.#owe(client, cycleId, id, amount)
        const owedByClient = account.bill < 0n ? -account.bill : 0n
        const part = amount < owedByClient ? amount : owedByClient
        account.bill += part
        debt.setOff += part
        this.#settle(debt)
      }
      account.payouts.clear()
      this.#useCredit(client)
    }
  }

  due({ total, received, setOff, waived }: ModelDebt): bigint {
    const left = total - received - setOff - waived
    return left > 0n ? left : 0n
  }

  /** What was received beyond the debt and nobody has decided on. */
  surplus({ total, received, setOff, waived, decided }: ModelDebt): bigint {
    const beyond = received + setOff + waived - total
    return (beyond > 0n ? beyond : 0n) - decided
  }

  receive(debt: ModelDebt, amount: bigint): void {
    debt.received += amount
    this.account(debt.client).paid += amount
    this.#settle(debt)
  }

  takeBack(debt: ModelDebt, amount: bigint): void {
    debt.received -= amount
    this.account(debt.client).paid -= amount
  }

  waive(debt: ModelDebt): void {
    if (this.due(debt) > 0n) debt.waived += this.due(debt)
    else debt.decided += this.surplus(debt)
    this.#settle(debt)
  }

  /** A credit note: the client is owed so much less. */
  credit(debt: ModelDebt, amount: bigint): void {
    debt.waived += amount
    this.#settle(debt)
  }

  /** A credit note of messages, which are held until a person has decided. */
  holdBilled(debt: ModelDebt, amount: bigint): void {
    this.credit(debt, amount)
    this.hold(debt.client, amount)
  }

  /** What is due moves into the open cycle. */
  void(debt: ModelDebt): void {
    const due = this.due(debt)
    this.credit(debt, due)
    this.account(debt.client).bill += due
  }

  keepAsCredit(debt: ModelDebt): void {
    const surplus = this.surplus(debt)
    debt.decided += surplus
    this.account(debt.client).credit += surplus
    this.#settle(debt)
    this.#useCredit(debt.client)
  }

  /** The account's balances as the ledger must have them; zero ones left out. */
  ledgerOf(client: number): Record<string, string> {
    const account = this.account(client)
    const debts = this.debts.filter((debt) => debt.client === client)
    const balances = {
      payable: account.bill + [...account.payouts.values()].reduce((sum, amount) => sum + amount, 0n),
      held: account.held,
      billed: debts.reduce((sum, debt) => sum + this.due(debt), 0n),
      paid: account.paid,
      credit: -account.credit,
    }
    return Object.fromEntries(
      Object.entries(balances).flatMap(([name, sum]) => (sum === 0n ? [] : [[name, String(sum)]])),
    )
  }

  #owe(client: number, cycleId: number, payoutId: number | undefined, total: bigint): ModelDebt {
    const none = { received: 0n, setOff: 0n, waived: 0n, decided: 0n, isSettled: false }
    const debt = { client, cycleId, payoutId, total, ...none }
    this.debts.push(debt)
    return debt
  }

  /** Credit pays the oldest debts first; of one cycle the bill, then its payouts by id. */
  #useCredit(client: number): void {
    const account = this.account(client)
    const open = this.debts
      .filter((debt) => debt.client === client && !debt.isSettled && this.due(debt) > 0n)
      .toSorted((a, b) => a.cycleId - b.cycleId || (a.payoutId ?? 0) - (b.payoutId ?? 0))
    for (const debt of open) {
      const due = this.due(debt)
      const part = due < account.credit ? due : account.credit
      debt.setOff += part
      account.credit -= part
      this.#settle(debt)
    }
  }

  #settle(debt: ModelDebt): void {
    if (this.due(debt) === 0n && this.surplus(debt) === 0n) debt.isSettled = true
  }
}
