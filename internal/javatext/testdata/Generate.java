// Prints random byte strings and what Java's UTF-8 decoder makes of them, both in hex:
// java Generate.java > java17.txt (its first 800 lines are kept).
import java.nio.charset.StandardCharsets; import java.util.*;
public class Generate { public static void main(String[] a){ Random r=new Random(7); int[] pool={0x41,0x7f,0x80,0x8f,0x90,0x9f,0xa0,0xbf,0xc0,0xc1,0xc2,0xdf,0xe0,0xe1,0xed,0xef,0xf0,0xf1,0xf3,0xf4,0xf5,0xf7,0xf8,0xff};
 StringBuilder out=new StringBuilder();
 for(int i=0;i<4000;i++){ int n=1+r.nextInt(7); byte[] b=new byte[n]; for(int k=0;k<n;k++) b[k]=(byte)pool[r.nextInt(pool.length)];
  System.out.println(HexFormat.of().formatHex(b)+" "+HexFormat.of().formatHex(new String(b,StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8))); } } }
