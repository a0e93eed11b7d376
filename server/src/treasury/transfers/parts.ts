// How a transfer is shared among the debts that it pays.
import { type DebtPart, parseReference } from '../../billing/index.ts'

/** Shares an amount among debts in their order. What exceeds all debts is added to the last one. */
export function partsOf(
  debts: readonly { readonly reference: string; readonly dueMicro: bigint }[],
  amountMicro: bigint,
): DebtPart[] {
  let left = amountMicro
  return debts.flatMap(({ reference, dueMicro }, index) => {
    const partMicro = index === debts.length - 1 || left < dueMicro ? left : dueMicro
    left -= partMicro
    const debtId = parseReference(reference)
    return debtId === undefined || partMicro === 0n ? [] : [{ debtId, amountMicro: partMicro }]
  })
}
