import { inventoryRoutes } from '@tollgate/contract/numbers.ts'
import { useCall } from '../../api/use-call.ts'
import { formatCount } from '../../format/money.ts'
import { StatStrip } from '../../ui/StatStrip.tsx'

/** Counts of the whole stock, whatever the filters below say. */
export function InventoryStats() {
  const { data, error } = useCall(inventoryRoutes.summariseInventory)
  // Not known is a dash, not a zero and not for ever on its way.
  const figure = (count: number | undefined) =>
    data === undefined && !error ? undefined : formatCount(count)
  return (
    <StatStrip
      label="Inventory"
      stats={[
        { label: 'Total Numbers', figure: figure(data?.count), note: 'in stock' },
        { label: 'Assigned Numbers', figure: figure(data?.assigned), note: 'held by a user' },
        { label: 'Available Numbers', figure: figure(data?.available), note: 'can be assigned' },
        { label: 'Suspended Numbers', figure: figure(data?.suspended), note: 'refuse messages' },
      ]}
    />
  )
}
