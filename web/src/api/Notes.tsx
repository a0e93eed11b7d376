import {
  objectsRoutes,
  noteLengthMax,
  type Note,
  type NotedType,
} from '@tollgate/contract/objects/objects.ts'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Unfetched } from './FetchFailure.tsx'
import { useUser } from './session.tsx'
import { useApiMutation, useApiQuery } from './use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { TextAreaField } from '../ui/Field.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { PageForm } from '../ui/PageForm.tsx'
import { EmptyState } from '../ui/States.tsx'
import { t } from '../language/t.ts'

interface NotesProps {
  readonly objectType: NotedType
  readonly objectId: string
}

const refetch = [objectsRoutes.listNotes.path]

/** What staff noted about one object, and a field for more. */
export function Notes({ objectType, objectId }: NotesProps) {
  const { id: viewerId, role } = useUser()
  const notes = useApiQuery(objectsRoutes.listNotes, { query: { objectType, objectId } })
  const [text, setText] = useState('')
  const add = useApiMutation(objectsRoutes.createNote, {
    refetch,
    failure: t('Failed to add the note'),
    onSuccess: () => setText(''),
  })
  const remove = useApiMutation(objectsRoutes.deleteNote, {
    refetch,
    success: t('Note deleted'),
    failure: t('Failed to delete the note'),
  })
  return (
    <div className="max-w-3xl space-y-4">
      <PageForm
        className="space-y-2"
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate({ body: { objectType, objectId, text } })
        }}
      >
        <TextAreaField
          label={t('New note')}
          rows={3}
          maxLength={noteLengthMax}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button
          type="submit"
          isDisabled={text.trim() === ''}
          isBusy={add.isPending}
          busyLabel={t('Adding...')}
        >
          {t('Add Note')}
        </Button>
      </PageForm>
      {notes.data ? (
        <NoteList
          notes={notes.data}
          mayDelete={({ authorId }) => authorId === viewerId || role === 'admin'}
          onDelete={({ id }) => remove.mutate({ params: { id } })}
        />
      ) : (
        <Unfetched of={notes} title={t('Failed to fetch the notes')} className="h-24" />
      )}
    </div>
  )
}

interface NoteListProps {
  readonly notes: readonly Note[]
  readonly mayDelete: (note: Note) => boolean
  readonly onDelete: (note: Note) => void
}

function NoteList({ notes, mayDelete, onDelete }: NoteListProps) {
  if (notes.length === 0) return <EmptyState title={t('No notes yet')} />
  return (
    <ul aria-label={t('Notes')} className="divide-y divide-line border-t border-line">
      {notes.map((note) => (
        <li key={note.id} className="flex items-start justify-between gap-3 py-3">
          <div className="min-w-0 space-y-1">
            <p className="whitespace-pre-wrap break-words">
              <bdi>{note.text}</bdi>
            </p>
            <p className="text-xs text-ink-3">
              {note.author}, {formatDateTime(note.createdAt)}
            </p>
          </div>
          {mayDelete(note) && (
            <IconButton
              icon={Trash2}
              label={t('Delete the note of {author}, {createdAt}', {
                author: note.author,
                createdAt: formatDateTime(note.createdAt),
              })}
              onClick={() => onDelete(note)}
            />
          )}
        </li>
      ))}
    </ul>
  )
}
