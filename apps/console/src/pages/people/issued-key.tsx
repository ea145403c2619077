import { CopyBlock } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { words } from '../../words/words.ts';

const text = words.people.secret;

/** A newly issued key. It exists only in the state of one component, and is removed together with that component. */
export interface IssuedKey {
  readonly name: string;
  readonly clientId: string;
  readonly secret: string;
  /** Explains who else has received the key, and whether the previous key still works. */
  readonly note: string;
}

/** Shows an issued key once. */
export const IssuedKeyDialog = ({
  issuedKey,
  close,
}: {
  readonly issuedKey: IssuedKey | null;
  readonly close: () => void;
}) => {
  return (
    <Dialog title={issuedKey ? text.issued(issuedKey.name) : ''} open={issuedKey !== null} close={close} isShownOnce>
      {issuedKey ? (
        <div>
          <p>{issuedKey.note}</p>
          <CopyBlock label={text.clientId} text={issuedKey.clientId} />
          <CopyBlock label={text.clientSecret} text={issuedKey.secret} />
        </div>
      ) : null}
    </Dialog>
  );
};
