package io.gator;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

import com.tngtech.archunit.core.domain.JavaClass;

/**
 * The texts in the constant pool of a class.
 */
final class ConstantStrings {

	private ConstantStrings() {
	}

	static List<String> of(JavaClass type) {
		try (InputStream stream = type.getSource().orElseThrow().getUri().toURL().openStream();
				DataInputStream in = new DataInputStream(stream)) {
			return read(in);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> read(DataInputStream in) throws IOException {
		List<String> texts = new ArrayList<>();
		in.skipNBytes(8);
		int count = in.readUnsignedShort();
		for (int i = 1; i < count; i++) {
			int tag = in.readUnsignedByte();
			switch (tag) {
				case 1 -> texts.add(in.readUTF());
				case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
				case 5, 6 -> {
					in.skipNBytes(8);
					// Takes two places.
					i++;
				}
				case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
				case 15 -> in.skipNBytes(3);
				default -> throw new IOException("Unknown constant " + tag + " in a class file");
			}
		}
		return texts;
	}

}
