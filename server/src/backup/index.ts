// Copies of the embedded database while it runs, what is restored from them, and its move to another server.
export { baseName, removeOldBackups } from './backups.ts'
export { move, type Moved } from './move/move.ts'
export { restore } from './restore.ts'
export { writeBackup, type Backup } from './write-backup.ts'
