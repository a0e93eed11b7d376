import type { NotedType } from '@tollgate/contract/objects/objects.ts'
import { Notes } from '../api/Notes.tsx'
import { t } from '../language/t.ts'
import { Card } from '../ui/Card.tsx'

/** What staff noted about the object of a page. */
export function NotesTab(of: { readonly objectType: NotedType; readonly objectId: string }) {
  return (
    <Card title={t('Notes')} aside={t('Only staff read them')}>
      <Notes {...of} />
    </Card>
  )
}
