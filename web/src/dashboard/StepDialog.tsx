import type { InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import { SimulatorDialog } from '../gateway/SimulatorDialog.tsx'
import { AssignDialog } from '../numbers/number/AssignDialog.tsx'
import { AddNumberDialog } from '../numbers/number/NumberForm.tsx'
import { AddUserDialog } from '../users/UserDialogs.tsx'

/** What a step opens over the dashboard. */
export type StepAct =
  | { readonly kind: 'number' | 'client' | 'supplier' }
  | { readonly kind: 'assign'; readonly item: InventoryItem }
  | { readonly kind: 'test'; readonly to: string }

/** The dialog of a step, the same as on the page of its kind. */
export function StepDialog({ dialog, onClose }: { readonly dialog: StepAct; readonly onClose: () => void }) {
  if (dialog.kind === 'number') return <AddNumberDialog onClose={onClose} />
  if (dialog.kind === 'assign') return <AssignDialog items={[dialog.item]} onClose={onClose} />
  if (dialog.kind === 'test') return <SimulatorDialog to={dialog.to} onClose={onClose} />
  return <AddUserDialog smppAccess={dialog.kind === 'supplier'} onClose={onClose} />
}
