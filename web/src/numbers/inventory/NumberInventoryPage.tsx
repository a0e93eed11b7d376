import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { useUrlState } from '../../url-state.ts'
import { AddInventoryDialog } from './InventoryDialogs.tsx'
import { InventoryStats } from './InventoryStats.tsx'
import { InventoryTable } from './InventoryTable.tsx'
import { PayoutTable } from '../../billing/payouts/PayoutTable.tsx'
import { inventorySearch } from './search.ts'

export function NumberInventoryPage() {
  const url = useUrlState(inventorySearch)
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <PageHeader
        title="Number Inventory Management"
        actions={
          <Button tone="primary" icon={Plus} onClick={() => setAdding(true)}>
            Add Number
          </Button>
        }
      >
        Manage premium numbers and SMS payouts
      </PageHeader>
      <InventoryStats />
      <InventoryTable url={url} onAdd={() => setAdding(true)} />
      <PayoutTable url={url} />
      {isAdding && <AddInventoryDialog onClose={() => setAdding(false)} />}
    </>
  )
}
