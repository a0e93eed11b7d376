import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { AddInventoryDialog } from './InventoryDialogs.tsx'
import { InventoryStats } from './InventoryStats.tsx'
import { InventoryTable } from './InventoryTable.tsx'
import { PayoutTable } from './PayoutTable.tsx'

export function NumberInventoryPage() {
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
      <InventoryTable onAdd={() => setAdding(true)} />
      <PayoutTable />
      {isAdding && <AddInventoryDialog onClose={() => setAdding(false)} />}
    </>
  )
}
