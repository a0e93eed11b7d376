import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { useUrlState } from '../../url-state.ts'
import { NumberViews } from '../NumberViews.tsx'
import { AddNumberDialog } from '../number/NumberForm.tsx'
import { InventoryStats } from './InventoryStats.tsx'
import { InventoryTable } from './InventoryTable.tsx'
import { inventorySearch } from './search.ts'
import { t } from '../../language/t.ts'

export function NumberInventoryPage() {
  const url = useUrlState(inventorySearch)
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <PageHeader
        title={t('Number Inventory Management')}
        actions={
          <Button tone="primary" icon={Plus} onClick={() => setAdding(true)}>
            {t('Add Number')}
          </Button>
        }
      >
        {t('Manage premium numbers and SMS payouts')}
      </PageHeader>
      <NumberViews />
      <InventoryStats />
      <InventoryTable url={url} onAdd={() => setAdding(true)} />
      {isAdding && <AddNumberDialog isStock onClose={() => setAdding(false)} />}
    </>
  )
}
